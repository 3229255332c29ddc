// A button whose act is confirmed first: what others notice, or what cannot be undone.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem';
import { t } from '../text';
import { Button } from './button';
import { Dialog } from './dialog';
import { Failure } from './failure';
import { toast } from './toast';

interface Props {
  readonly label: string;
  // Which thing the act is about, for the name of the button.
  readonly of?: string;
  readonly title: string;
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'plain' | 'bad' | 'quiet';
  readonly disabled?: boolean;
  readonly run: () => Promise<unknown>;
  // What is said after it.
  readonly done: string;
  readonly after?: () => void;
}

export function Act({ label, of, title, children, kind = 'plain', disabled, run, done, after }: Props) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const act = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await run();
      setOpen(false);
      toast(done);
      after?.();
    } catch (err) {
      setProblem(asProblem(err));
    }
    setBusy(false);
  };
  return (
    <>
      <Button kind={kind} {...(of ? { label: `${label}: ${of}` } : {})} disabled={disabled} onClick={() => { setProblem(undefined); setOpen(true); }}>{label}</Button>
      {open && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <div class="stack">
            <div>{children}</div>
            {problem && <Failure problem={problem} />}
            <div class="buttons"><Button kind={kind === 'bad' ? 'bad' : 'primary'} busy={busy} onClick={act}>{label}</Button><Button onClick={() => setOpen(false)}>{t().common.cancel}</Button></div>
          </div>
        </Dialog>
      )}
    </>
  );
}
