// Renders the Markdown that models write: headings, lists, quotes, code, emphasis and
// links. It makes elements of a closed set and puts all text in by textContent, so
// whatever a model or a tool writes, none of it becomes markup of its own. What it does
// not know stays as it was written.
'use strict'

const inline = /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|__(\S(?:.*?\S)?)__|\*(\S(?:.*?\S)?)\*|(?<!\w)_(\S(?:.*?\S)?)_(?!\w)|\[([^\]]+)\]\(([^()\s]+)\)/

// A text deeper than this, or longer, is shown as it was written.
const deepest = 8
const longestLine = 4000

function phrase(parent, text, depth = 0) {
  while (text) {
    const found = depth < deepest && text.length <= longestLine ? inline.exec(text) : null
    if (!found) break
    parent.append(text.slice(0, found.index))
    const [all, , code, strong, strong2, em, em2, label, url] = found
    if (code !== undefined) parent.append(element('code', code))
    else if (strong ?? strong2) phrase(append(parent, 'strong'), strong ?? strong2, depth + 1)
    else if (em ?? em2) phrase(append(parent, 'em'), em ?? em2, depth + 1)
    else if (label) link(parent, label, url, all)
    text = text.slice(found.index + all.length)
  }
  parent.append(text)
}

function element(tag, text = '') {
  const e = document.createElement(tag)
  e.textContent = text
  return e
}

function append(parent, tag) {
  const e = document.createElement(tag)
  parent.append(e)
  return e
}

// link shows where it leads beside its words: a model may be told to lie about that.
function link(parent, label, url, all) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    parent.append(all)
    return
  }
  const a = element('a', label)
  a.href = url
  a.rel = 'noopener noreferrer nofollow'
  a.target = '_blank'
  parent.append(a)
  if (label !== url) parent.append(` (${new URL(url).host})`)
}

// markdown puts text into parent, which is emptied first.
function markdown(parent, text) {
  parent.replaceChildren()
  const lines = text.split('\n')
  for (let i = 0; i < lines.length;) {
    i = block(parent, lines, i)
  }
}

// block renders what begins at a line and returns the line after it.
function block(parent, lines, i) {
  const line = lines[i]
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)
  if (fence) {
    let end = i + 1
    while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end++
    append(parent, 'pre').append(element('code', lines.slice(i + 1, end).join('\n')))
    return end + 1
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(line)
  if (heading) {
    phrase(append(parent, 'h' + Math.min(6, heading[1].length + 2)), heading[2])
    return i + 1
  }
  if (/^\s*[-*+]\s+/.test(line)) return list(parent, 'ul', /^\s*[-*+]\s+(.*)$/, lines, i)
  if (/^\s*\d{1,9}[.)]\s+/.test(line)) return list(parent, 'ol', /^\s*\d{1,9}[.)]\s+(.*)$/, lines, i)
  if (/^>\s?/.test(line)) {
    const quote = append(parent, 'blockquote')
    for (; i < lines.length && /^>\s?/.test(lines[i]); i++) phrase(append(quote, 'p'), lines[i].replace(/^>\s?/, ''))
    return i
  }
  if (line.trim() === '') return i + 1
  const p = append(parent, 'p')
  let end = i
  do {
    if (end > i) p.append(document.createElement('br'))
    phrase(p, lines[end++])
  } while (end < lines.length && lines[end].trim() !== '' && !/^( {0,3}(`{3,}|~{3,})|#{1,6}\s|\s*[-*+]\s|\s*\d{1,9}[.)]\s|>)/.test(lines[end]))
  return end
}

function list(parent, tag, item, lines, i) {
  const all = append(parent, tag)
  for (; i < lines.length; i++) {
    const found = item.exec(lines[i])
    if (!found) break
    phrase(append(all, 'li'), found[1])
  }
  return i
}
