// What models and tools say is hostile. It becomes text of the page, by textContent, and
// never a part of its markup; markdown.js makes the elements of a model's answer.
'use strict'

const $ = (id) => document.getElementById(id)
let speaks = null // where the model's answer grows, and its text
let calls = new Map() // by call_id: where a call is shown
let cards = new Map() // by consent_id: what waits for this person
let busy = false // the model or a tool is at work
let person = ''
let events = null

function add(parent, kind, text, tag = 'div') {
  const element = document.createElement(tag)
  element.className = kind
  element.textContent = text
  parent.append(element)
  return element
}

// post returns the status, 0 where there is none.
async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    })
    $('wrong').textContent = answer.ok ? '' : await answer.text()
    return answer.status
  } catch {
    $('wrong').textContent = 'The page cannot reach its server.'
    return 0
  }
}

// keepUp runs change and then scrolls to the end of the conversation, unless the person
// has scrolled up to read.
function keepUp(change) {
  const log = $('log')
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
  change()
  state()
  if (atEnd) log.scrollTop = log.scrollHeight
}

// state shows what waits for whom.
function state() {
  const running = [...calls.values()].filter((c) => !c.done && ![...cards.values()].some((card) => card.call === c.id))
  let text = ''
  if (cards.size > 0) text = `Waiting for you, ${person}: ${[...cards.values()].map((c) => c.tool).join(', ')}.`
  else if (busy && running.length > 0) text = `Waiting for ${running.map((c) => c.name).join(', ')} to finish.`
  else if (busy) text = 'Waiting for the model to answer.'
  $('state').textContent = text
}

// show puts an entry on the page. One about a call may come again: it changes what is
// shown of that call.
function show(e) {
  if (e.kind === 'text') {
    speaks ??= { element: add($('log'), 'model', ''), text: '' }
    speaks.text += e.text
    markdown(speaks.element, speaks.text)
    return
  }
  speaks = null
  if (e.kind === 'you') busy = true
  if (e.kind === 'end') {
    busy = false
    for (const call of calls.values()) call.done = true
  }
  if (e.kind === 'you' || e.kind === 'note') add($('log'), e.kind, e.text)
  if (e.kind !== 'tool' && e.kind !== 'result') return
  if (!calls.has(e.call)) {
    const line = add($('log'), 'tool', e.tool + ' ')
    calls.set(e.call, { id: e.call, name: e.tool, tool: add(line, 'progress', '', 'span'), result: add(line, 'result', '', 'span') })
  }
  const call = calls.get(e.call)
  call[e.kind].textContent = (e.kind === 'result' ? '\n' : '') + e.text
  if (e.kind !== 'result') return
  call.done = true
  for (const card of cards.values()) if (card.call === e.call) remove(card)
}

const choices = [
  ['grant', 'Allow once', { grant: true, remember: 'once' }],
  ['session', 'Allow in this conversation', { grant: true, remember: 'session' }],
  ['always', 'Always allow', { grant: true, remember: 'always' }],
  ['deny', 'Deny', { grant: false }],
]

// ask shows what this person is to decide.
function ask(q) {
  if (cards.has(q.id)) return
  const card = { id: q.id, call: q.call, tool: q.tool, element: add($('asked'), 'card', '', 'article') }
  cards.set(q.id, card)
  card.element.setAttribute('aria-label', q.kind === 'question' ? 'Answer a question' : `Decide about ${q.tool}`)
  if (q.kind === 'question') return question(card, q)
  add(card.element, 'what', `${q.tool} (${q.risk} risk): ${q.reason}`, 'p')
  add(card.element, 'preview', q.preview, 'pre')
  for (const warning of q.warnings ?? []) add(card.element, 'note', `Careful: ${warning}`, 'p')
  add(card.element, 'until', `Until ${new Date(q.expires).toLocaleTimeString()}`, 'p')
  for (const [kind, name, decision] of choices) {
    add(card.element, kind, name, 'button').onclick = () => decide(card, decision)
  }
}

async function decide(card, decision) {
  const status = await post('decide', { consent: card.id, ...decision })
  if ([204, 404, 409].includes(status)) keepUp(() => remove(card)) // done, or nothing is left to decide
}

function remove(card) {
  card.element.remove()
  cards.delete(card.id)
}

function clear() {
  speaks = null
  busy = false
  calls = new Map()
  cards = new Map()
  $('log').replaceChildren()
  $('asked').replaceChildren()
}

// signedOut shows the form again and nothing of the conversation.
function signedOut() {
  events?.close()
  clear()
  $('chat').hidden = true
  $('login').hidden = false
  $('name').focus()
}

// follow shows the conversation from its beginning, again whenever the line was lost.
function follow() {
  events = new EventSource('events')
  events.onopen = () => {
    clear()
    $('login').hidden = true
    $('chat').hidden = false
    $('text').focus()
  }
  events.addEventListener('person', (m) => { person = JSON.parse(m.data).name; $('who').textContent = person })
  events.addEventListener('entry', (m) => keepUp(() => show(JSON.parse(m.data))))
  events.addEventListener('consent', (m) => keepUp(() => ask(JSON.parse(m.data))))
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) signedOut()
  }
}

$('login').onsubmit = async (submit) => {
  submit.preventDefault()
  if ((await post('login', { name: submit.target.name.value })) === 204) follow()
}
$('logout').onclick = async () => {
  if ((await post('logout', {})) === 204) signedOut()
}
$('say').onsubmit = async (submit) => {
  submit.preventDefault()
  const { text } = submit.target
  if ((await post('say', { text: text.value })) === 204) text.value = ''
}
follow()
