// Die deutschen Texte. Die eines Bereichs stehen in einer eigenen Datei.

import type { Text } from './en';
import * as base from './de/base';
import { calls } from './de/calls';
import { inbox } from './de/inbox';
import { tools } from './de/tools';
import { agents } from './de/agents';
import { custom } from './de/custom';
import { upstream } from './de/upstream';

export const de: Text = { ...base, calls, inbox, tools, agents, custom, upstream };
