// Which rows of a long list are drawn: all have one height, so that place and number follow
// from each other.

// So many rows beyond the screen are drawn, and never more than `most` in all.
const [spare, most] = [20, 140];

// viewOf returns the rows from the first to before the last that lie near the screen: the list
// begins `above` pixels above the upper edge of what can be seen, which is `height` high.
export function viewOf(rows: number, above: number, height: number, row: number): readonly [from: number, to: number] {
  const count = Math.min(most, Math.ceil(height / row) + 2 * spare);
  // In steps, so that not every pixel draws.
  const from = Math.floor((above / row - spare) / 10) * 10;
  const first = Math.max(0, Math.min(from, rows - count));
  return [first, Math.min(rows, first + count)];
}
