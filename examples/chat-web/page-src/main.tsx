// The start of the page.

import { effect } from '@preact/signals';
import { render } from 'preact';
import { language } from '../../../console/src/text';
import { App } from './app';
import { follow } from './server';

effect(() => { document.documentElement.lang = language.value; });
const root = document.getElementById('app');
if (root) render(<App />, root);
follow();
