// The English texts. Those of an area are in a file of its own.

import * as base from './en/base';
import { calls } from './en/calls';
import { inbox } from './en/inbox';
import { fleet } from './en/fleet';
import { check } from './en/check';
import { dead } from './en/dead';
import { grants } from './en/grants';
import { audit } from './en/audit';
import { services } from './en/services';
import { policy } from './en/policy';

export const en = { ...base, calls, inbox, fleet, check, dead, grants, audit, services, policy };

export type Text = typeof en;
