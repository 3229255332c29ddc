// A call as curl, as the command line, in Python and in TypeScript. Nothing that a model wrote
// ends a string, turns its direction or hides in it: strings are quoted for the language, and
// characters that nobody sees are written as escapes.

import { Digits } from '../../lib/exact';
import { pieces } from '../../lib/visible';

export type Form = 'curl' | 'cli' | 'python' | 'typescript';

// The names are those of the tools, in every language.
export const forms: readonly (readonly [Form, string])[] = [['curl', 'curl'], ['cli', 'CLI'], ['python', 'Python'], ['typescript', 'TypeScript']];

export interface Made {
  readonly tool: string;
  readonly arguments: unknown;
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
  readonly server: string;
  readonly tenant: string;
  // The server asks for a key, which the text takes from the environment.
  readonly authenticated: boolean;
}

export function written(form: Form, of: Made): string {
  const context = Object.fromEntries(Object.entries({ user: of.user, agent: of.agent }).filter(([, v]) => v));
  const hasContext = Object.keys(context).length > 0;
  switch (form) {
    case 'curl': {
      const body = literal({ ...(hasContext && { context }), calls: [{ tool: of.tool, arguments: of.arguments }] }, json);
      const headers = [`-H 'Content-Type: application/json'`, ...(of.authenticated ? [`-H "Authorization: Bearer $HELVE_TOKEN"`] : []), ...(of.tenant ? [`-H ${shell(`Helve-Tenant: ${of.tenant}`)}`] : [])];
      return `curl -sS ${shell(`${of.server}/v1/execute`)} ${headers.join(' ')} -d ${shell(body)}`;
    }
    case 'cli': {
      const flags = [['server', of.server], ['tenant', of.tenant], ['user', of.user], ['agent', of.agent]].flatMap(([name, value]) => (value ? [`--${name} ${shell(value)}`] : []));
      return `helve call ${shell(of.tool)} ${shell(literal(of.arguments, json))} ${flags.join(' ')}`;
    }
    case 'python': {
      const who = hasContext ? `, context=Context(${Object.entries(context).map(([k, v]) => `${k}=${literal(v, python)}`).join(', ')})` : '';
      const where = of.tenant ? `, tenant=${literal(of.tenant, python)}` : '';
      return `from helve import Client${hasContext ? ', Context' : ''}\n\nwith Client(${literal(of.server, python)}${where}${who}) as helve:\n    print(helve.call(${literal(of.tool, python)}, ${literal(of.arguments, python)}).text)\n`;
    }
    case 'typescript': {
      const options = literal({ url: of.server, ...(of.tenant && { tenant: of.tenant }), ...(hasContext && { context }) }, json);
      const token = of.authenticated ? `, token: process.env.HELVE_TOKEN` : '';
      return `import { Helve } from "@helve/client";\n\nconst helve = new Helve(${options.slice(0, -1)}${token}});\nconsole.log(await helve.call(${literal(of.tool, json)}, ${literal(of.arguments, json)}));\n`;
    }
  }
}

// shell quotes a text for a POSIX shell.
function shell(text: string): string {
  return /^[A-Za-z0-9_./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Language {
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly escape: (code: number) => string;
}

const four = (n: number) => `\\u${n.toString(16).padStart(4, '0')}`;
const json: Language = {
  null: 'null', true: 'true', false: 'false',
  escape: (code) => (code < 0x10000 ? four(code) : [...String.fromCodePoint(code)].flatMap((c) => [c.charCodeAt(0), c.charCodeAt(1)]).map(four).join('')),
};
const python: Language = { null: 'None', true: 'True', false: 'False', escape: (code) => (code < 0x10000 ? four(code) : `\\U${code.toString(16).padStart(8, '0')}`) };

function literal(value: unknown, as: Language): string {
  if (value === null || value === undefined) return as.null;
  if (typeof value === 'boolean') return as[`${value}`];
  if (typeof value === 'number') return String(value);
  if (value instanceof Digits) return value.source;
  if (typeof value === 'string') return string(value, as);
  if (Array.isArray(value)) return `[${value.map((v) => literal(v, as)).join(', ')}]`;
  return `{${Object.entries(value).map(([k, v]) => `${string(k, as)}: ${literal(v, as)}`).join(', ')}}`;
}

function string(text: string, as: Language): string {
  return pieces(text).map((p) => (p.kind && p.kind !== 'lookalike' ? as.escape(p.text.codePointAt(0) ?? 0) : JSON.stringify(p.text).slice(1, -1))).reduce((a, b) => a + b, '"') + '"';
}
