// The start of the console.

import { effect } from '@preact/signals';
import { render } from 'preact';
import { App, find, warm } from './app/app';
import { startRouter } from './app/router';
import { loadMe } from './app/session';
import { language } from './text';

effect(() => { document.documentElement.lang = language.value; });
startRouter((path) => path === '/login' || find(path) !== undefined);
// The code of the page arrives while the server says who the visitor is.
void loadMe();
warm(location.pathname);
const root = document.getElementById('app');
if (root) render(<App />, root);
