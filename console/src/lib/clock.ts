// The clock of the server, by which all times are told: that of this device may be wrong.

// The server's time less the device's lies between these two, in milliseconds.
let [least, most] = [-Infinity, Infinity];

// heard takes the header Date of an answer, which has whole seconds, with the times of this
// device before the request and after the answer.
export function heard(date: string | null, sent: number, got: number): void {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const [from, to] = [at - got, at + 1000 - sent];
  const fits = from <= most && to >= least;
  // What does not fit what was known means that one of the clocks was set.
  [least, most] = fits ? [Math.max(least, from), Math.min(most, to)] : [from, to];
}

// serverNow returns the server's time, the device's where that may be right.
export function serverNow(): number {
  return Date.now() + Math.min(Math.max(0, least), most);
}
