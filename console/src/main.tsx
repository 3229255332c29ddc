// The start of the console.

import { effect } from '@preact/signals';
import { render } from 'preact';
import { App, find } from './app/app';
import { startRouter } from './app/router';
import { language } from './text';

effect(() => { document.documentElement.lang = language.value; });
startRouter((path) => path === '/login' || find(path) !== undefined);
const root = document.getElementById('app');
if (root) render(<App />, root);
