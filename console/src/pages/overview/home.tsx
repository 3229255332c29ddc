// Where a person begins after the sign-in: who only operates with the overview, everybody else
// with the inbox.

import { useEffect } from 'preact/hooks';
import { navigate } from '../../app/router';
import { has } from '../../app/session';

export default function Home() {
  useEffect(() => navigate(has('auditor', 'admin') && !has('user', 'approver') ? '/overview' : '/', { replace: true }), []);
  return null;
}
