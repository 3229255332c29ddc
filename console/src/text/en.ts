// The English texts. Those of an area are in a file of its own.

import * as base from './en/base';
import { list } from './en/list';
import { go } from './en/go';
import { calls } from './en/calls';
import { inbox } from './en/inbox';
import { tools } from './en/tools';
import { agents } from './en/agents';
import { custom } from './en/custom';
import { upstream } from './en/upstream';
import { overview } from './en/overview';
import { fleet } from './en/fleet';
import { check } from './en/check';
import { services } from './en/services';
import { policy } from './en/policy';
import { audit } from './en/audit';
import { decisions } from './en/decisions';
import { dead } from './en/dead';
import { grants } from './en/grants';
import { push } from './en/push';
import { data } from './en/data';
import { files } from './en/files';
import { schedules } from './en/schedules';
import { conversations } from './en/conversations';
import { programs } from './en/programs';

export const en = { ...base, list, go, calls, inbox, tools, agents, custom, upstream, overview, fleet, check, services, policy, audit, decisions, dead, grants, push, conversations, programs, schedules, files, data };

export type Text = typeof en;
