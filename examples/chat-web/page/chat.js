// What models and tools say is hostile. It becomes text of the page, by textContent, and
// never a part of its markup.
'use strict'

const $ = (id) => document.getElementById(id)
let speaks = null // where the model's answer grows
let calls = new Map() // by call_id: where a call is shown
let cards = new Map() // by consent_id: what waits for this person

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

// show puts an entry on the page. One about a call may come again: it changes what is
// shown of that call.
function show(e) {
  if (e.kind === 'text') {
    speaks ??= add($('log'), 'model', '')
    speaks.textContent += e.text
    return
  }
  speaks = null
  if (e.kind === 'you' || e.kind === 'note') add($('log'), e.kind, e.text)
  if (e.kind !== 'tool' && e.kind !== 'result') return
  if (!calls.has(e.call)) {
    const line = add($('log'), 'tool', e.tool + ' ')
    calls.set(e.call, { tool: add(line, 'progress', '', 'span'), result: add(line, 'result', '', 'span') })
  }
  const call = calls.get(e.call)
  call[e.kind].textContent = (e.kind === 'result' ? '\n' : '') + e.text
  if (e.kind === 'result') for (const card of cards.values()) if (card.call === e.call) remove(card)
}

// ask shows what this person is to decide.
function ask(q) {
  if (cards.has(q.id)) return
  const card = { id: q.id, call: q.call, element: add($('asked'), 'card', '') }
  cards.set(q.id, card)
  add(card.element, 'what', `${q.tool} (${q.risk} risk): ${q.reason}`, 'p')
  add(card.element, 'preview', q.preview, 'pre')
  for (const warning of q.warnings ?? []) add(card.element, 'note', `Careful: ${warning}`, 'p')
  add(card.element, 'until', `Until ${new Date(q.expires).toLocaleTimeString()}`, 'p')
  for (const [name, grant] of [['Grant', true], ['Deny', false]]) {
    add(card.element, name.toLowerCase(), name, 'button').onclick = async () => {
      const status = await post('decide', { consent: q.id, grant })
      if ([204, 404, 409].includes(status)) remove(card) // done, or nothing is left to decide
    }
  }
}

function remove(card) {
  card.element.remove()
  cards.delete(card.id)
}

// follow shows the conversation from its beginning, again whenever the line was lost.
function follow() {
  const events = new EventSource('events')
  events.onopen = () => {
    speaks = null
    calls = new Map()
    cards = new Map()
    $('log').replaceChildren()
    $('asked').replaceChildren()
    $('login').hidden = true
    $('chat').hidden = false
  }
  events.addEventListener('entry', (m) => show(JSON.parse(m.data)))
  events.addEventListener('consent', (m) => ask(JSON.parse(m.data)))
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) $('login').hidden = false // nobody has logged in
  }
}

$('login').onsubmit = async (submit) => {
  submit.preventDefault()
  if ((await post('login', { name: submit.target.name.value })) === 204) follow()
}
$('say').onsubmit = async (submit) => {
  submit.preventDefault()
  const { text } = submit.target
  if ((await post('say', { text: text.value })) === 204) text.value = ''
}
follow()
