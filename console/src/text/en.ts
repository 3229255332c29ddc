// The English texts. Those of an area are in a file of its own.

import * as base from './en/base';
import { inbox } from './en/inbox';

export const en = { ...base, inbox };

export type Text = typeof en;
