import { whileOpen } from "../stopwatch.js";
export const make = (session, service) => ({
    supports: service.supports,
    ask: ({ asker }, question) => whileOpen(service.ask(question), asker, session.stopwatches)
});
