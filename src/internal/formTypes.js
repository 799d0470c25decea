/** What a client can show as a form, judged by the compiler on what it sends back: the encoded side. */
export {};
