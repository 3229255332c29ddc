// Die deutschen Texte. Die eines Bereichs stehen in einer eigenen Datei.

import type { Text } from './en';
import * as base from './de/base';
import { list } from './de/list';
import { go } from './de/go';
import { calls } from './de/calls';
import { inbox } from './de/inbox';
import { tools } from './de/tools';
import { agents } from './de/agents';
import { custom } from './de/custom';
import { upstream } from './de/upstream';
import { overview } from './de/overview';
import { fleet } from './de/fleet';
import { check } from './de/check';
import { services } from './de/services';
import { policy } from './de/policy';
import { audit } from './de/audit';
import { decisions } from './de/decisions';
import { dead } from './de/dead';
import { grants } from './de/grants';
import { push } from './de/push';
import { data } from './de/data';
import { files } from './de/files';
import { schedules } from './de/schedules';
import { conversations } from './de/conversations';
import { programs } from './de/programs';

export const de: Text = { ...base, list, go, calls, inbox, tools, agents, custom, upstream, overview, fleet, check, services, policy, audit, decisions, dead, grants, push, conversations, programs, schedules, files, data };
