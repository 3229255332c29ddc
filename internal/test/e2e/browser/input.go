package browser

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Click waits until the element of a selector is visible and enabled, and presses the mouse
// in its middle. The selector is of CSS, or text=… for the button, link, label or summary
// that has exactly this text.
func (p *Tab) Click(selector string) {
	p.t.Helper()
	for range 20 {
		p.press(selector)
		if missed := p.Eval(`globalThis.__clicked === false`); missed != "true" { // a new page knows of no click
			return
		}
	}
	p.t.Fatalf("the element %s moves away from each click", selector)
}

// press presses at the place of an element. What the page gets meanwhile may move it away, so
// the element notes whether the click reached it.
func (p *Tab) press(selector string) {
	p.t.Helper()
	p.Until(fmt.Sprintf(`(() => {
		const e = %s;
		if (!e || e.disabled || !e.checkVisibility()) return false;
		e.scrollIntoView({ block: 'center', behavior: 'instant' });
		const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
		const top = document.elementFromPoint(x, y);
		if (!top || !(e.contains(top) || top.contains(e))) return false;
		globalThis.__at = [x, y];
		globalThis.__clicked = false;
		e.addEventListener('click', () => { globalThis.__clicked = true; }, { once: true, capture: true });
		return true;
	})()`, find(selector)))
	var at [2]float64
	if err := json.Unmarshal([]byte(p.Eval(`globalThis.__at`)), &at); err != nil {
		p.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.ask("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// find returns the expression of the element that a selector names.
func find(selector string) string {
	text, ok := strings.CutPrefix(selector, "text=")
	if !ok {
		return fmt.Sprintf(`document.querySelector(%s)`, quoted(selector))
	}
	return fmt.Sprintf(
		`[...document.querySelectorAll('button, a, label, summary')].find((e) => e.innerText.trim() === %s && e.checkVisibility())`, quoted(text),
	)
}

// Type focuses the element of a selector and replaces its text.
func (p *Tab) Type(selector, text string) {
	p.t.Helper()
	p.Until(fmt.Sprintf(`(() => { const e = %s; if (!e) return false; e.focus(); e.select?.(); return document.activeElement === e; })()`,
		find(selector)))
	if text == "" {
		p.Press("Backspace")
		return
	}
	p.Insert(text)
}

// Insert types a text where the focus is.
func (p *Tab) Insert(text string) {
	p.t.Helper()
	p.ask("Input.insertText", map[string]any{"text": text}, nil)
}

// Select chooses an option of a select element by its value, and tells the page.
func (p *Tab) Select(selector, value string) {
	p.t.Helper()
	p.Until(fmt.Sprintf(`(() => {
		const e = %s;
		if (!e || ![...e.options].some((o) => o.value === %s)) return false;
		e.value = %[2]s;
		e.dispatchEvent(new Event('input', { bubbles: true }));
		e.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, find(selector), quoted(value)))
}

// keys are the keys that tests press: their code, and the text that they type.
var keys = map[string]struct {
	code int
	text string
}{
	"Tab": {9, ""}, "Enter": {13, "\r"}, "Escape": {27, ""}, " ": {32, " "}, "Backspace": {8, ""},
	"ArrowDown": {40, ""}, "ArrowUp": {38, ""}, "ArrowLeft": {37, ""}, "ArrowRight": {39, ""}, "Home": {36, ""}, "End": {35, ""},
}

// Press presses a key by its name, with shift or control if it begins with "Shift+" or
// "Control+".
func (p *Tab) Press(name string) {
	p.t.Helper()
	modifiers := 0
	name, shift := strings.CutPrefix(name, "Shift+")
	if shift {
		modifiers = 8
	}
	name, control := strings.CutPrefix(name, "Control+")
	if control {
		modifiers |= 2
	}
	key, ok := keys[name]
	if !ok && len(name) == 1 {
		key.code, key.text, ok = int(strings.ToUpper(name)[0]), name, true
	}
	if !ok {
		p.t.Fatalf("no key is called %q", name)
	}
	code := name
	if name == " " {
		code = "Space"
	}
	event := map[string]any{"type": "keyDown", "key": name, "code": code, "windowsVirtualKeyCode": key.code, "modifiers": modifiers}
	if key.text != "" && !control {
		event["text"] = key.text
	}
	p.ask("Input.dispatchKeyEvent", event, nil)
	p.ask("Input.dispatchKeyEvent",
		map[string]any{"type": "keyUp", "key": name, "code": code, "windowsVirtualKeyCode": key.code, "modifiers": modifiers}, nil)
}

// Drag presses the mouse in an element, moves it and releases it: from and to are parts of its
// width.
func (p *Tab) Drag(selector string, from, to float64) {
	p.t.Helper()
	p.Until(find(selector) + ` != null`)
	var box [3]float64
	place := fmt.Sprintf(`(() => { const r = %s.getBoundingClientRect(); return [r.left, r.width, r.top + r.height / 2]; })()`, find(selector))
	if err := json.Unmarshal([]byte(p.Eval(place)), &box); err != nil {
		p.t.Fatal(err)
	}
	mouse := func(kind string, part float64) {
		p.ask("Input.dispatchMouseEvent",
			map[string]any{"type": kind, "x": box[0] + part*box[1], "y": box[2], "button": "left", "buttons": 1, "clickCount": 1}, nil)
	}
	mouse("mousePressed", from)
	mouse("mouseMoved", (from+to)/2)
	mouse("mouseMoved", to)
	mouse("mouseReleased", to)
}

// TabTo presses Tab until the element of a selector has the focus, at most 200 times.
func (p *Tab) TabTo(selector string) {
	p.t.Helper()
	p.Until(find(selector) + ` != null`)
	for range 200 {
		if p.Eval(fmt.Sprintf(`document.activeElement === %s`, find(selector))) == "true" {
			return
		}
		p.Press("Tab")
	}
	p.t.Fatalf("the Tab key does not reach %s", selector)
}
