// The keys of the console.

import { Dialog } from '../components/dialog';
import { t } from '../text';

export default function Help({ onClose }: { onClose: () => void }) {
  const { enter, ctrl, help } = t().go;
  const keys: readonly (readonly [readonly string[], string])[] = [
    [['j', 'k'], help.move], [[enter], help.open], [['Esc'], help.close], [['a'], help.allow], [['d'], help.deny], [['x'], help.select], [['/'], help.search],
    [[ctrl, 'K'], help.anywhere], [['?'], help.keys],
  ];
  return (
    <Dialog title={t().go.keys} onClose={onClose}>
      <dl class="keys">{keys.map(([names, does]) => <div key={does}><dt>{names.map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{does}</dd></div>)}</dl>
    </Dialog>
  );
}
