// Runs the tests of pure functions, test/*.test.ts, with node:test.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const out = await mkdtemp('node_modules/.test-');
const entryPoints = (await readdir('test')).filter((f) => f.endsWith('.test.ts') || f.endsWith('.test.tsx')).map((f) => `test/${f}`);
await build({ entryPoints, bundle: true, platform: 'node', nodePaths: ['node_modules'], format: 'esm', packages: 'external', jsx: 'automatic', jsxImportSource: 'preact', outdir: out, outExtension: { '.js': '.mjs' } });
const { status } = spawnSync(process.execPath, ['--test', ...(await readdir(out)).map((f) => `${out}/${f}`)], { stdio: 'inherit' });
await rm(out, { recursive: true });
process.exit(status ?? 1);
