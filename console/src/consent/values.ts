// What an argument of a call is: code of a language, or a picture.

import type { Language } from '../components/code';

const languages: Readonly<Record<string, Readonly<Record<string, Language | ''>>>> = {
  execute_python: { code: 'python' },
  execute_javascript: { code: 'javascript' },
  create_tool: { code: 'javascript' },
  update_custom_tool: { code: 'javascript' },
  execute_shell: { command: 'bash' },
  'shell.run': { command: 'bash' },
  package_manager: { command: 'bash' },
  write_file: { content: '' },
  'files.write_text': { content: '' },
};

// languageOf returns the language of an argument that is code, '' if it is code of an
// unknown one, and undefined if it is none.
export function languageOf(tool: string, argument: string, value: string): Language | '' | undefined {
  const known = languages[tool];
  if (known && Object.hasOwn(known, argument)) return known[argument];
  return /^(code|script|source|sql|query_sql|command)$/i.test(argument) && /\n|.{60}/.test(value) ? (/sql/i.test(argument) ? 'sql' : '') : undefined;
}

// isPicture reports whether a text is the path of a picture in a workspace. An SVG is none:
// it is a document, with scripts.
export function isPicture(text: string): boolean {
  return text.length < 500 && !/^[a-z]+:|^[/\\]|\.\.|\\u/i.test(text) && /\.(png|jpe?g|gif|webp|avif)$/i.test(text);
}
