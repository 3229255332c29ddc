// What a call will do, in plain words: for tools of Helve itself, whose names nobody else
// can give a tool, with the argument that matters most.

import type { Text } from '../text';
import type { Language } from '../components/code';

export type Act = keyof Text['inbox']['acts'];

// The tools with the words for their calls, and the argument that is their object.
const acts: Readonly<Record<string, readonly [Act, string]>> = {
  delete_file: ['deleteFile', 'path'],
  'shell.run': ['runCommand', 'command'],
  execute_shell: ['runCommand', 'command'],
  package_manager: ['runCommand', 'command'],
  run_cli_tool: ['runProgram', 'name'],
  install_cli_tool: ['installProgram', 'name'],
  execute_python: ['runProgramCode', ''],
  execute_javascript: ['runProgramCode', ''],
  compile_code: ['runProgramCode', ''],
  run_coding_task: ['codingTask', 'provider'],
  http_request: ['request', 'url'],
  json_api: ['request', 'url'],
  fetch_web_page: ['readPage', 'url'],
  download_file: ['download', 'url'],
  search_web: ['searchWeb', 'query'],
  send_email: ['sendMail', 'to'],
  reply_email: ['answerMail', 'emailId'],
  read_email: ['readMail', 'emailId'],
  search_emails: ['searchMail', 'query'],
  delete_email: ['deleteMail', 'emailId'],
  create_tool: ['makeTool', 'name'],
  update_custom_tool: ['changeTool', 'name'],
  delete_custom_tool: ['deleteTool', 'name'],
  share_custom_tool: ['shareTool', 'name'],
  'browser.open_url': ['openPage', 'url'],
  'apps.open': ['openApp', 'app'],
  'clipboard.read': ['readClipboard', ''],
  generate_image: ['makePicture', 'prompt'],
  edit_image: ['changePicture', 'image'],
  'files.move_glob': ['moveFiles', 'patterns'],
};

// actOf returns the words for a tool of Helve's own, and the argument that is their object.
export function actOf(tool: string, kind: string | undefined): { act: Act; object: string } | undefined {
  const found = kind === 'builtin' && Object.hasOwn(acts, tool) ? acts[tool] : undefined;
  return found && { act: found[0], object: found[1] };
}

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
