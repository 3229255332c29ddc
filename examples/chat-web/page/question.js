// A question of the model is a form: a field for each property of a flat JSON Schema. All
// texts of the schema are hostile, as everything that a model says, and become textContent
// or values of attributes that are only text.
'use strict'

// question fills the card of a question with its form.
function question(card, q) {
  const properties = q.schema?.properties ?? {}
  const required = q.schema?.required ?? []
  add(card.element, 'what', q.question, 'p')
  const form = add(card.element, 'answer', '', 'form')
  const fields = Object.entries(properties).map(([name, schema]) => field(form, card.id, name, schema, required.includes(name)))
  add(card.element, 'until', `Until ${new Date(q.expires).toLocaleTimeString()}`, 'p')
  add(form, 'grant', 'Answer', 'button')
  const refuse = add(form, 'deny', 'Do not answer', 'button')
  refuse.type = 'button'
  refuse.onclick = () => decide(card, { grant: false })
  form.onsubmit = (submit) => {
    submit.preventDefault()
    const answer = Object.fromEntries(fields.map((f) => [f.name, f.value()]).filter(([, value]) => value !== undefined))
    decide(card, { grant: true, answer })
  }
}

// field adds the input of one property, and returns its name and how its value is read:
// undefined leaves it out.
function field(form, card, name, schema, required) {
  if (schema.type === 'boolean' && !required && schema.default === undefined) schema = { ...schema, enum: [true, false] } // or neither
  const row = add(form, 'field', '')
  const label = add(row, '', schema.title || name, 'label')
  label.htmlFor = `${card}-${name}`
  const input = inputOf(row, schema, required)
  input.id = label.htmlFor
  if (schema.type !== 'boolean') input.required = required // false is an answer too
  if (schema.description) add(row, 'help', schema.description, 'small')
  return { name, value: () => valueOf(input, schema) }
}

function inputOf(row, schema, required) {
  if (Array.isArray(schema.enum)) {
    const select = add(row, '', '', 'select')
    if (!required || schema.default === undefined) add(select, '', '', 'option').value = ''
    schema.enum.forEach((choice, i) => {
      const option = add(select, '', String(choice), 'option')
      option.value = String(i)
      option.selected = choice === schema.default
    })
    return select
  }
  const input = add(row, '', '', 'input')
  if (schema.type === 'boolean') {
    input.type = 'checkbox'
    input.checked = schema.default === true
    return input
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    input.type = 'number'
    input.step = schema.type === 'integer' ? '1' : 'any'
    input.min = schema.minimum ?? (schema.type === 'integer' ? Number.MIN_SAFE_INTEGER : '')
    input.max = schema.maximum ?? (schema.type === 'integer' ? Number.MAX_SAFE_INTEGER : '')
  } else {
    input.type = 'text'
    if (schema.minLength > 0) input.minLength = schema.minLength
    if (schema.maxLength > 0) input.maxLength = schema.maxLength
  }
  if (schema.default !== undefined) input.value = schema.default
  return input
}

function valueOf(input, schema) {
  if (schema.type === 'boolean' && input.type === 'checkbox') return input.checked
  if (input.value === '') return undefined
  if (Array.isArray(schema.enum)) return schema.enum[Number(input.value)]
  return input.type === 'number' ? Number(input.value) : input.value
}
