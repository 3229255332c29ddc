// Builds the console into internal/server/console/dist, which is committed: the same source gives
// the same bytes. Fails if the files are larger than the console may be.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { first as early, installed, options, outputsOf, page, worker } from './bundle.mjs';

const out = '../internal/server/console/dist';
// The document with all that it names is what each person waits for; a page that is opened later
// brings its own part. All files together are bounded so that growth is seen.
const maxFirst = 100 * 1024;
const maxCompressed = 300 * 1024;

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const built = await Promise.all([build({ ...options, minify: true }), build({ ...early, minify: true }), build({ ...worker, minify: true })]);
await writeFile(`${out}/index.html`, page(await readFile('src/index.html', 'utf8'), outputsOf(...built)));
for (const name of installed) await copyFile(`src/push/${name}`, `${out}/${name}`);

const files = {};
let total = 0;
let first = 0;
const document = await readFile(`${out}/index.html`, 'utf8');
for (const name of ['index.html', 'sw.js', ...installed, ...(await readdir(`${out}/assets`)).map((f) => `assets/${f}`)].sort()) {
  const content = await readFile(`${out}/${name}`);
  files[name] = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  const compressed = gzipSync(content, { level: 9 }).length;
  total += compressed;
  if (name === 'index.html' || document.includes(`/${name}"`)) first += compressed;
}
await writeFile(`${out}/manifest.json`, JSON.stringify({ files }, null, 1) + '\n');
console.log(`${Object.keys(files).length} files, ${(total / 1024).toFixed(1)} KiB compressed, ${(first / 1024).toFixed(1)} of them first`);
if (first > maxFirst || total > maxCompressed) {
  console.error(`the console may have ${maxFirst / 1024} KiB compressed in the document and what it names, ${maxCompressed / 1024} in all`);
  process.exit(1);
}
