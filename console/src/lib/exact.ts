// Parses JSON without losing digits: a number that JavaScript cannot hold becomes a
// Digits, which is shown and sent with the digits it came with.

export class Digits {
  constructor(readonly source: string) {}

  // toJSON makes JSON.stringify write the digits, where the engine can.
  toJSON(): unknown {
    const { rawJSON } = JSON as { rawJSON?: (source: string) => unknown };
    return rawJSON ? rawJSON(this.source) : Number(this.source);
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

// parse is JSON.parse; browsers that tell a reviver the source of a number keep its digits.
export function parse(text: string): unknown {
  const reviver: Reviver = (_key, value, context) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source && !same(value, source)
      ? new Digits(source)
      : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

// same reports whether the source is another way to write the number, such as 1.0 or 1e3.
function same(value: number, source: string): boolean {
  return Number.isSafeInteger(value) ? /^-?\d+(\.0*)?$/.test(source) || /[eE]/.test(source) : source.replace(/^-?0\.|[-.]|0+$/g, '').length <= 15;
}
