// The files of a workspace: a person's own, for admins that of whom they name.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import type { PageProps } from '../../app/area';
import { has, me } from '../../app/session';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import type { Definition, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { usePages } from '../../components/list/pages';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import { One } from './one';
import { Upload } from './upload';

type File = Schemas['File'];

const filters = ['q', 'path', 'user'] as const;

// There is no stream of files.
const [size, pace] = [200, 10_000];

export default function Files({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const [uploads, setUploads] = useState(false);
  const { path: directory = '', user = '' } = chosen;
  const read = usePages<File>({
    name: 'files', key: JSON.stringify([directory, user]), idOf: (f) => f.path, pace, auto: true,
    load: async (cursor, signal) => {
      const page = await api.get('/v1/files/', { query: { path: directory, user, limit: size, ...(cursor && { cursor }) }, ...(signal && { signal }) });
      return { rows: page.files, next: page.next };
    },
  });
  const text = t().files;
  const definition: Definition<File> = {
    name: 'files', title: text.title, path: '/files', item: '/files/', idOf: (f) => f.path, line,
    search: { name: 'q', label: text.search, fits: (f, words) => f.path.toLowerCase().includes(words.toLowerCase()) },
    facets: [
      { name: 'path', label: text.directory, valueOf: (f) => directoryOf(f.path), pattern: '[^\\\\]{1,140}' },
      ...(has('admin') || !me.value.user ? [{ name: 'user', label: t().calls.user, valueOf: () => '', pattern: '[A-Za-z0-9_\\-]{1,64}' }] : []),
    ],
    found: text.found, empty: [text.empty, text.emptyText, text.emptyFiltered],
    aside: <Button onClick={() => setUploads(true)}>{text.upload}</Button>,
    detail: (path, row, steps) => <One key={path} path={path} user={user} row={row} gone={() => { read.refresh(); steps.close(); }} />,
  };
  return (
    <>
      <List of={definition} read={read} filters={chosen} change={change} id={params['path'] ?? ''} />
      {uploads && <Dialog title={text.uploadTitle} onClose={() => setUploads(false)}><Upload directory={directory} user={user} done={() => { setUploads(false); read.refresh(); }} /></Dialog>}
    </>
  );
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function line(f: File): Line {
  const directory = directoryOf(f.path);
  return {
    outcome: 'noted', word: t().files.file,
    what: <>{directory && <span class="faint"><Short text={`${directory}/`} most={80} /></span>}<strong><Short text={f.path.slice(f.path.lastIndexOf('/') + 1)} most={80} /></strong></>,
    when: <><span class="row-took number">{t().files.bytes(f.size)} </span><Time at={f.modified} /></>,
  };
}
