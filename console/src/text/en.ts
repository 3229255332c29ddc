// The English texts. Those of an area are in a file of its own.

import * as base from './en/base';
import { calls } from './en/calls';
import { inbox } from './en/inbox';
import { tools } from './en/tools';
import { agents } from './en/agents';
import { custom } from './en/custom';
import { upstream } from './en/upstream';

export const en = { ...base, calls, inbox, tools, agents, custom, upstream };

export type Text = typeof en;
