const elicitation = (declared, mode) => {
    // an empty declaration means forms (2025-06-18 knew no modes)
    const supported = declared !== undefined && (declared[mode] !== undefined || (mode === "form" && Object.keys(declared).length === 0));
    return supported ? {} : { elicitation: { [mode]: {} } };
};
const needed = (declared, request) => {
    switch (request.method) {
        case "roots/list":
            return declared.roots === undefined ? { roots: {} } : {};
        case "sampling/createMessage": {
            const { includeContext, toolChoice, tools } = request.params;
            const parts = {
                ...((tools ?? toolChoice) !== undefined && declared.sampling?.tools === undefined ? { tools: {} } : {}),
                ...(includeContext !== undefined && includeContext !== "none" && declared.sampling?.context === undefined
                    ? { context: {} }
                    : {})
            };
            return declared.sampling === undefined || Object.keys(parts).length > 0 ? { sampling: parts } : {};
        }
        case "elicitation/create":
            return elicitation(declared.elicitation, request.params.mode === "url" ? "url" : "form");
    }
};
/** The `requiredCapabilities` of a -32021, or undefined when every question may be asked. */
export const missingCapabilities = (declared, requests) => {
    const missing = {};
    for (const request of Object.values(requests ?? {})) {
        for (const [capability, parts] of Object.entries(needed(declared, request))) {
            missing[capability] = { ...missing[capability], ...parts };
        }
    }
    return Object.keys(missing).length === 0 ? undefined : missing;
};
