// Saving the filters of a list under a name, choosing them again, deleting them.

import { useState } from 'preact/hooks';
import { t } from '../../text';
import { Button } from '../button';
import { Short } from '../plain';
import type { Filters } from './definition';
import { Popup } from './popup';
import { forget, longest, most, save, saved } from './saved';

export function SavedFilters({ list, filters, change }: { list: string; filters: Filters; change: (c: Record<string, string>) => void }) {
  const [full, setFull] = useState(false);
  const text = t().list;
  const all = saved(list);
  const any = Object.keys(filters).length > 0;
  const none = Object.fromEntries(Object.keys(filters).map((f) => [f, '']));
  const keep = (form: HTMLFormElement) => {
    const name = String(new FormData(form).get('saved-name') ?? '').trim();
    if (name === '' || !any) return;
    const room = save({ list, name, filters });
    setFull(!room);
    if (room) form.reset();
  };
  return (
    <Popup name="saved" label={text.saved} active={false}>
      {all.length === 0 && <p class="small faint">{text.noneSaved}</p>}
      <ul>
        {all.map((s) => (
          <li key={s.name} class="saved">
            <button type="button" class="value" onClick={() => change({ ...none, ...s.filters })}><Short text={s.name} most={longest} /></button>
            <button type="button" class="quiet" onClick={() => { forget(s); setFull(false); }}><span class="sr">{text.forget} <Short text={s.name} most={longest} /></span><span aria-hidden="true">×</span></button>
          </li>
        ))}
      </ul>
      {any ? (
        <form onSubmit={(e) => { e.preventDefault(); keep(e.currentTarget); }}>
          <label class="field">{text.savedName}<input name="saved-name" required maxLength={longest} autocomplete="off" /></label>
          <p class="small faint" role="status">{full && text.savedFull(most)}</p>
          <Button type="submit">{text.save}</Button>
        </form>
      ) : <p class="small faint">{text.toSave}</p>}
    </Popup>
  );
}
