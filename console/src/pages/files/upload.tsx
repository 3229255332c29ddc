// Storing a file in the workspace. One that is there already is replaced only when the person says so.

import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { toast } from '../../components/toast';
import { t } from '../../text';
import { transfer } from './transfer';

interface Props {
  readonly directory: string;
  readonly user: string;
  readonly done: () => void;
}

export function Upload({ directory, user, done }: Props) {
  const [file, setFile] = useState<File>();
  const [path, setPath] = useState('');
  const [replace, setReplace] = useState(false);
  const [taken, setTaken] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const text = t().files;
  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    if (chosen) name(directory ? `${directory}/${chosen.name}` : chosen.name);
  };
  const name = (to: string) => { setPath(to); setTaken(false); setReplace(false); };
  const store = async () => {
    if (!file || path === '') return;
    setBusy(true);
    setProblem(undefined);
    try {
      await transfer('PUT', path, { user, body: file, headers: { 'Content-Type': 'application/octet-stream', ...(replace ? {} : { 'If-None-Match': '*' }) } });
      toast(text.uploaded);
      done();
    } catch (err) {
      const failed = asProblem(err);
      if (failed.status === 412) setTaken(true);
      else setProblem(failed);
    }
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); if (!busy) void store(); }}>
      <label class="field">{text.file}<input type="file" name="file" required onChange={(e) => choose(e.currentTarget.files?.[0])} /></label>
      <label class="field">{text.to}<input type="text" name="path" required maxLength={1000} spellcheck={false} autocomplete="off" value={path} onInput={(e) => name(e.currentTarget.value)} /></label>
      {taken && (
        <div role="alert"><p class="bad">{text.exists}</p>
          <label class="check"><input type="checkbox" name="replace" checked={replace} onChange={(e) => setReplace(e.currentTarget.checked)} />{text.replace}</label>
        </div>
      )}
      {problem && <Failure problem={problem} />}
      <div class="buttons"><Button type="submit" kind="primary" busy={busy} disabled={!file || path === '' || (taken && !replace)}>{text.upload}</Button></div>
    </form>
  );
}
