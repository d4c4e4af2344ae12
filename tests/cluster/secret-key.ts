/** The `METAHUMAN_SECRET_KEY` of every process. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
