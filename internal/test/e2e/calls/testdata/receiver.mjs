import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const helve = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
const headers = process.env.HELVE_TOKEN ? { authorization: `Bearer ${process.env.HELVE_TOKEN}` } : {};
const pem = await (await fetch(`${helve}/v1/audit/public-key`, { headers })).text();
const keys = pem.match(/-----BEGIN[^]+?-----END PUBLIC KEY-----/g).map((key) => createPublicKey(key));

function verified(signature, body) {
  const [, at, sum] = /^t=(\d+),ed25519=([A-Za-z0-9+/=]+)$/.exec(signature ?? "") ?? [];
  if (!at || Math.abs(Date.now() / 1000 - at) > 300) return false;
  const signed = Buffer.concat([Buffer.from(`${at}.`), body]);
  return keys.some((key) => verify(null, signed, key, Buffer.from(sum, "base64")));
}

const server = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!verified(req.headers["helve-signature"], body)) return res.writeHead(401).end();
  const element = JSON.parse(body);
  console.log(`${element.call_id} ${element.status}`); // store it; it may come twice
  res.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
