import { foreign } from "./errors.js";
import { pause } from "./deadline.js";
import type { Http } from "./http.js";
import { consentId } from "./names.js";
import type { Consent, ConsentPage, ConsentStatus, Context, Decision } from "./wire.js";

export interface ConsentFilter {
  status?: ConsentStatus;
  user?: string;
  agent?: string;
  tool?: string;
  /** The number of consents on a page, at most 1000; 100 if absent. */
  limit?: number;
  /** The `next` of the previous page. */
  cursor?: string;
  signal?: AbortSignal;
}

const firstLook = 200;
const lastLook = 1_000;

/** The inbox of consents. A front end that shows a `preview` must show the `warnings` too. */
export class Consents {
  readonly #http: Http;
  readonly #who: Context;

  constructor(http: Http, who: Context) {
    this.#http = http;
    this.#who = who;
  }

  /** Returns a page of the inbox. */
  async list(filter: ConsentFilter = {}): Promise<ConsentPage> {
    const { signal, ...query } = filter;
    return this.#http.ask({ method: "GET", path: "/v1/consents", query: { ...query }, signal });
  }

  /** Returns a consent. An unknown or old one is a RequestError of type not_found. */
  async get(id: string, options: { signal?: AbortSignal | undefined } = {}): Promise<Consent> {
    return this.#http.ask({ method: "GET", path: `/v1/consents/${consentId(id)}`, query: { user: this.#who.user }, ...options });
  }

  /**
   * Grants or denies a consent as the user of the client's context. The first decision counts: a
   * later one is a RequestError of type conflict. The agent that made the call cannot decide.
   */
  async decide(id: string, decision: Decision, options: { signal?: AbortSignal | undefined } = {}): Promise<Consent> {
    const { user, agent } = this.#who;
    return this.#http.ask({
      method: "POST", path: `/v1/consents/${consentId(id)}/decision`, json: { ...decision, context: { user, agent } }, ...options,
    });
  }

  /** Returns a consent once it is decided, expired or cancelled. */
  async wait(id: string, options: { signal?: AbortSignal | undefined } = {}): Promise<Consent> {
    for (let ms = firstLook; ; ms = Math.min(2 * ms, lastLook)) {
      const consent = await this.get(id, options);
      if (consent.status !== "pending") return consent;
      await pause(ms, options.signal);
    }
  }

  /**
   * Yields every consent that waits: first those that already wait, then new ones, within about
   * a second. A consent that is decided within that second may be missed.
   */
  async *watch(filter: Omit<ConsentFilter, "status" | "cursor"> = {}): AsyncGenerator<Consent, void> {
    for (let told = new Set<string>(); ; ) {
      const waiting = await this.#waiting(filter);
      for (const consent of waiting) {
        if (!told.has(consent.consent_id)) yield consent;
      }
      told = new Set(waiting.map((consent) => consent.consent_id));
      await pause(lastLook, filter.signal);
    }
  }

  async #waiting(filter: ConsentFilter): Promise<Consent[]> {
    const all: Consent[] = [];
    for (let cursor: string | undefined; ; ) {
      const page: ConsentPage = await this.list({ ...filter, status: "pending", ...(cursor && { cursor }) });
      all.push(...page.consents);
      if (!page.next) return all;
      if (page.next === cursor) throw foreign("the inbox has no end: its next page is the same again");
      cursor = page.next;
    }
  }
}
