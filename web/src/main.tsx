import { render } from 'preact';
import { App } from './app.tsx';
import { liveSource } from './live-source.ts';
import { reportSource } from './report-source.ts';
import { applyTheme } from './theme.ts';
import './style/index.css';

applyTheme();
// The token has become a cookie; it need not stay in the address and the history.
if (location.search.includes('token=')) history.replaceState(null, '', location.pathname + location.hash);
const root = document.getElementById('app');
if (root !== null) render(<App source={reportSource() ?? liveSource} />, root);
