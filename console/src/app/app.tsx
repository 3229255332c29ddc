// The frame of every page: header, navigation, and the page that the address names.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../api/problem';
import { Failure } from '../components/failure';
import { Page } from '../components/page';
import { Plain } from '../components/plain';
import { Toasts } from '../components/toast';
import { Issuer } from '../pages/login/issuer';
import { Login } from '../pages/login/login';
import { t } from '../text';
import type { Area, PageProps } from './area';
import { areas } from './areas';
import { Layout } from './layout';
import { persist } from './persist';
import { Other } from './other';
import { match, navigate, place } from './router';
import { has, loadMe, mayOpen, state } from './session';

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
        <Page title={t().common.notFound}><p>{t().common.notFoundText} <code><Plain text={path} most={200} /></code></p><Back /></Page>
      ) : !mayOpen(found.area) ? (
        <Page title={t().common.forbidden}>
          <p>{has(...(found.area.roles ?? [])) ? t().common.needsTenant : t().common.needsRole((found.area.roles ?? []).map((r) => t().roles[r]))}</p>
          <Back />
        </Page>
      ) : (
        <Loaded key={found.area.page ?? `${path} ${visit}`} area={found.area} params={found.params} />
      )}
      <Toasts />
      <Other />
    </Layout>
  );
}

// Back leads to the first page of the navigation that the person may see; some programs' roles
// have none.
function Back() {
  const first = areas.find((a) => a.nav && mayOpen(a));
  return first?.nav ? <p><a href={first.path}>{t().common.goTo} {first.nav.label(t())}</a></p> : null;
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
  const View = loaded.get(area.load);
  useEffect(() => {
    if (View) return undefined;
    // Between this rendering and its effect a visit before may have loaded the code.
    if (loaded.has(area.load)) {
      setReady(true);
      return undefined;
    }
    return persist(async () => { loaded.set(area.load, (await area.load()).default); setReady(true); }, setProblem);
  }, []);
  if (View) return <View params={params} />;
  return problem ? <Failure problem={problem} retry={() => location.reload()} /> : null;
}
