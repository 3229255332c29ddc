import { readFile, readdir } from 'node:fs/promises';

// The module "runbooks" has all pages of docs/runbooks by their names: together they are half as
// large, compressed, as one by one.
const runbooks = {
  name: 'runbooks',
  setup(build) {
    build.onResolve({ filter: /^runbooks$/ }, () => ({ path: 'runbooks', namespace: 'runbooks' }));
    build.onLoad({ filter: /.*/, namespace: 'runbooks' }, async () => {
      const dir = '../docs/runbooks';
      const names = (await readdir(dir)).filter((name) => /^Helve[A-Za-z]+\.md$/.test(name)).sort();
      const pages = await Promise.all(names.map(async (name) => [name.replace('.md', ''), await readFile(`${dir}/${name}`, 'utf8')]));
      return { contents: `export default new Map(${JSON.stringify(pages)})`, loader: 'js' };
    });
  },
};

// Settings of esbuild that the build and the development server share.
export const options = {
  entryPoints: { app: 'src/main.tsx', style: 'src/design/style.css' },
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'file' },
  plugins: [runbooks],
  outdir: '../internal/server/console/dist/assets',
  publicPath: '/assets',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
};

// The script that sets theme and language before the first paint. It is not a module,
// because modules run after it.
export const first = {
  ...options,
  entryPoints: { first: 'src/first.ts' },
  splitting: false,
  format: 'iife',
};

// The service worker, whose address must stay the same and whose folder is what it serves.
export const worker = {
  ...first,
  entryPoints: { sw: 'src/push/worker.ts' },
  entryNames: '[name]',
  outdir: '../internal/server/console/dist',
};

// The files of src/push that are served at the root as they are: what makes the console installable.
export const installed = ['manifest.webmanifest', 'icon-180.png', 'icon-192.png', 'icon-512.png'];

// page returns the document with the names of the built files.
export function page(template, outputs) {
  const name = (entry) => {
    const found = outputs.find((o) => o.entryPoint === entry);
    if (!found) throw new Error(`${entry} was not built`);
    return '/assets/' + found.file;
  };
  return template
    .replace('{style}', name('src/design/style.css'))
    .replace('{first}', name('src/first.ts'))
    .replace('{icon}', '/assets/' + outputs.find((o) => /^icon-.*\.svg$/.test(o.file)).file)
    .replace('{app}', name('src/main.tsx'))
    .replace('{needed}', neededBy('src/main.tsx', outputs).map((file) => `<link rel="modulepreload" href="/assets/${file}">`).join('\n'));
}

// neededBy returns the parts that a browser would find only by reading an entry and its parts,
// one after the other.
function neededBy(entry, outputs) {
  const parts = new Set();
  const follow = (output) => {
    for (const file of output.imports) {
      if (parts.has(file)) continue;
      parts.add(file);
      follow(outputs.find((o) => o.file === file));
    }
  };
  follow(outputs.find((o) => o.entryPoint === entry));
  return [...parts];
}

// outputsOf lists the files of a build with the source that each began with, and the files
// that each imports at its start.
export function outputsOf(...results) {
  const name = (path) => path.split('/').at(-1);
  return results.flatMap((r) =>
    Object.entries(r.metafile.outputs).map(([path, o]) => ({
      file: name(path), entryPoint: o.entryPoint, imports: o.imports.filter((i) => i.kind === 'import-statement').map((i) => name(i.path)),
    })),
  );
}
