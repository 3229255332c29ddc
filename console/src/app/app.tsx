// The frame of every page: header, navigation, and the page that the address names.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { stays } from '../api/leaving';
import { asProblem, type Problem } from '../api/problem';
import { Failure } from '../components/failure';
import { Page } from '../components/page';
import { Toasts } from '../components/toast';
import { Issuer } from '../pages/login/issuer';
import { Login } from '../pages/login/login';
import { t } from '../text';
import type { Area, PageProps } from './area';
import { areas } from './areas';
import { Layout } from './layout';
import { Other } from './other';
import { match, navigate, place } from './router';
import { has, loadMe, state } from './session';

export function App() {
  const { me, problem, signIn } = state.value;
  const { path, search, visit } = place.value;
  // Nobody is signed in, or no longer, and may have gone back to a page.
  const leave = !me && signIn !== undefined && path !== '/login' && !path.startsWith('/login/');
  useEffect(() => { if (leave) navigate(`/login?next=${encodeURIComponent(path + search)}`, { replace: true }); }, [leave, path, search]);
  if (path.startsWith('/login/')) return <Issuer />;
  if (path === '/login') return <><Login /><Toasts /></>;
  if (!me) {
    return (
      <main class="alone" aria-busy={!problem}>
        {problem && <Failure problem={problem} retry={() => void loadMe()} />}
      </main>
    );
  }
  const found = find(path);
  return (
    <Layout>
      {!found ? (
        <Page title={t().common.notFound}><p>{t().common.notFoundText}</p><p><a href="/">{t().common.toInbox}</a></p></Page>
      ) : !has(...(found.area.roles ?? [])) ? (
        <Page title={t().common.forbidden}><p>{t().common.needsRole((found.area.roles ?? []).map((r) => t().roles[r]))}</p></Page>
      ) : (
        <Loaded key={`${path} ${visit}`} area={found.area} params={found.params} />
      )}
      <Toasts />
      <Other />
    </Layout>
  );
}

export function find(path: string): { area: Area; params: Record<string, string> } | undefined {
  for (const area of areas) {
    const params = match(area.path, path);
    if (params) return { area, params };
  }
  return undefined;
}

// loaded keeps the code of areas that were opened, so that a second visit shows no
// intermediate state.
const loaded = new Map<Area['load'], ComponentType<PageProps>>();

// warm loads the code of the area at a path. A failure is shown by the page, which asks too.
export function warm(path: string): void {
  const load = find(path)?.area.load;
  load?.().then((m) => loaded.set(load, m.default), () => undefined);
}

function Loaded({ area, params }: { area: Area; params: Record<string, string> }) {
  const [, setReady] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const fetchCode = () => {
    setProblem(undefined);
    area.load().then((m) => { loaded.set(area.load, m.default); setReady(true); }, async (err) => { await stays(); setProblem(asProblem(err)); });
  };
  const View = loaded.get(area.load);
  // Between this rendering and its effect a visit before may have loaded the code.
  useEffect(() => {
    if (View) return;
    if (loaded.has(area.load)) setReady(true);
    else fetchCode();
  }, []);
  if (View) return <View params={params} />;
  // The code may be of a release that is gone: loading the document again brings the new one.
  return problem ? <Failure problem={problem} retry={() => location.reload()} /> : null;
}
