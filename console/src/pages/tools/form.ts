// The form of a tool: fields from its JSON schema, and arguments from what a person filled
// in. The server checks arguments by the whole schema; what is checked here spares a person
// a request that fails.

export type Kind = 'text' | 'long' | 'number' | 'integer' | 'choice' | 'json';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly description: string;
  // The values of a choice, as JSON.
  readonly choices: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

export type Wrong =
  | { readonly why: 'required' | 'number' | 'integer' | 'precision' | 'json' | 'choice' }
  | { readonly why: 'min' | 'max' | 'minLength' | 'maxLength'; readonly n: number };

export type Values = Readonly<Record<string, string>>;
type Schema = Readonly<Record<string, unknown>>;

const asSchema = (v: unknown): Schema => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Schema) : {});
const asNumber = (v: unknown): number | undefined => (typeof v === 'number' ? v : undefined);

// fieldsOf returns the fields of an object schema, those that are required first. A part of
// the schema that has no simple field is filled in as JSON.
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = asSchema(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(asSchema(properties)).map(([name, s]) => fieldOf(name, asSchema(s), needed.has(name)));
  return [...all.filter((f) => f.required), ...all.filter((f) => !f.required)];
}

function fieldOf(name: string, s: Schema, required: boolean): Field {
  const [min, max, minLength, maxLength] = [s['minimum'], s['maximum'], s['minLength'], s['maxLength']].map(asNumber);
  const choices = choicesOf(s);
  return {
    name, required, choices, kind: choices.length > 0 ? 'choice' : kindOf(s, maxLength),
    description: typeof s['description'] === 'string' ? s['description'] : '',
    ...(min !== undefined && { min }), ...(max !== undefined && { max }),
    ...(minLength !== undefined && { minLength }), ...(maxLength !== undefined && { maxLength }),
  };
}

function choicesOf(s: Schema): string[] {
  if (Array.isArray(s['enum'])) return s['enum'].map((v) => JSON.stringify(v));
  return s['type'] === 'boolean' ? ['true', 'false'] : [];
}

// Texts of up to this length have a field of one line.
const oneLine = 200;

function kindOf(s: Schema, maxLength: number | undefined): Kind {
  switch (s['type']) {
    case 'string': return maxLength !== undefined && maxLength <= oneLine ? 'text' : 'long';
    case 'number': return 'number';
    case 'integer': return 'integer';
    default: return 'json';
  }
}

// valuesOf returns what the fields begin with: the values of the tool's example.
export function valuesOf(fields: readonly Field[], example: unknown): Values {
  const given = asSchema(example);
  return Object.fromEntries(fields.filter((f) => Object.hasOwn(given, f.name)).map((f) => {
    const v = given[f.name];
    return [f.name, typeof v === 'string' && f.kind !== 'choice' && f.kind !== 'json' ? v : JSON.stringify(v, null, f.kind === 'json' ? 2 : 0)];
  }));
}

export interface Read {
  readonly args: Record<string, unknown>;
  readonly wrong: Readonly<Record<string, Wrong>>;
}

// argumentsOf reads the fields. An empty field that is not required is left out.
export function argumentsOf(fields: readonly Field[], values: Values): Read {
  const args: [string, unknown][] = [];
  const wrong: [string, Wrong][] = [];
  for (const f of fields) {
    const text = Object.hasOwn(values, f.name) ? (values[f.name] ?? '') : '';
    if (text === '') {
      if (f.required) wrong.push([f.name, { why: 'required' }]);
      continue;
    }
    const got = read(f, text);
    if ('wrong' in got) wrong.push([f.name, got.wrong]);
    else args.push([f.name, got.value]);
  }
  return { args: Object.fromEntries(args), wrong: Object.fromEntries(wrong) };
}

function read(f: Field, text: string): { readonly value: unknown } | { readonly wrong: Wrong } {
  switch (f.kind) {
    case 'text': case 'long': return length(f, text);
    case 'number': case 'integer': return numeric(f, text.trim());
    case 'choice': return f.choices.includes(text) ? { value: JSON.parse(text) as unknown } : { wrong: { why: 'choice' } };
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return { wrong: { why: 'json' } };
      }
  }
}

function length(f: Field, text: string): { readonly value: string } | { readonly wrong: Wrong } {
  const n = [...text].length; // characters, as JSON Schema counts them
  if (f.minLength !== undefined && n < f.minLength) return { wrong: { why: 'minLength', n: f.minLength } };
  if (f.maxLength !== undefined && n > f.maxLength) return { wrong: { why: 'maxLength', n: f.maxLength } };
  return { value: text };
}

function numeric(f: Field, text: string): { readonly value: number } | { readonly wrong: Wrong } {
  const value = Number(text);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text) || !Number.isFinite(value)) return { wrong: { why: 'number' } };
  if (f.kind === 'integer' && !Number.isInteger(value)) return { wrong: { why: 'integer' } };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return { wrong: { why: 'precision' } };
  if (f.min !== undefined && value < f.min) return { wrong: { why: 'min', n: f.min } };
  if (f.max !== undefined && value > f.max) return { wrong: { why: 'max', n: f.max } };
  return { value };
}

// fieldIn returns the name of the field that a message of the server is about, or ''.
export function fieldIn(message: string, fields: readonly Field[]): string {
  const words = message.split(/[^\p{L}\p{N}_-]+/u);
  const at = (f: Field) => words.indexOf(f.name);
  return fields.filter((f) => at(f) >= 0).sort((a, b) => at(a) - at(b))[0]?.name ?? '';
}
