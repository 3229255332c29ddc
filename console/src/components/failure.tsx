// What is shown in place of something that is not there, or could not be loaded.

import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem';
import { t } from '../text';
import { Button } from './button';
import { Plain } from './plain';

export function Failure({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p><Plain text={t().problems(problem)} most={600} /></p>
      {retry && problem.status !== 403 && problem.status !== 404 && <Button onClick={retry}>{t().common.retry}</Button>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="big">{title}</p>{children && <p>{children}</p>}</div>;
}

// Stale says that what is shown may be old.
export function Stale({ problem }: { problem: Problem | undefined }) {
  return <p class="stale" role="status">{problem && t().common.stale(t().problems(problem))}</p>;
}
