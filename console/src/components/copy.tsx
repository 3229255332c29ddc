// A button that copies a text.

import { t } from '../text';
import { toast } from './toast';

// Copy copies what `text` returns when it is pressed. The label names the thing.
export function Copy({ text, label }: { text: () => string; label: string }) {
  const copy = () => navigator.clipboard.writeText(text()).then(() => toast(t().common.copied), () => toast(t().common.notCopied, 'bad'));
  return (
    <button type="button" class="copy" aria-label={`${t().common.copy}: ${label}`} title={t().common.copy} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="M5 5h8v8H5zM11 5V3H3v8h2" /></svg>
    </button>
  );
}
