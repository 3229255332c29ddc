// The dispatcher, as helve's command line finds it too.
export const server = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
