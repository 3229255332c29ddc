package top

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Model is the state of the live view.
type Model struct {
	ctx   context.Context
	from  Source
	every time.Duration

	last  Snapshot
	err   error // of the last attempt; nil if it succeeded
	since time.Time

	width, height int
	tab           int
	sorts         [5]int
	selected, top int
	filter        string
	typing        bool
	cancel        string // the call to cancel, while it is to be confirmed
	note          string
}

// New returns a live view that is refreshed at that interval until ctx ends.
func New(ctx context.Context, from Source, every time.Duration) *Model {
	return &Model{ctx: ctx, from: from, every: every, width: 80, height: 24, sorts: [5]int{2, 0, 1, 0, 0}}
}

type (
	taken     struct{ snapshot Snapshot }
	lost      struct{ err error }
	again     struct{}
	cancelled struct{ text string }
)

// takeTimeout bounds one refresh, so that a server that does not answer is shown as lost.
const takeTimeout = 5 * time.Second

func (m *Model) take() tea.Msg {
	ctx, stop := context.WithTimeout(m.ctx, takeTimeout)
	defer stop()
	s, err := Take(ctx, m.from)
	if err != nil {
		return lost{err}
	}
	return taken{s}
}

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd { return m.take }

// Update implements [tea.Model].
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case taken:
		m.last, m.err = msg.snapshot, nil
		return m, m.later()
	case lost:
		if m.err == nil {
			m.since = time.Now()
		}
		m.err = msg.err
		return m, m.later()
	case again:
		return m, m.take
	case cancelled:
		m.note = msg.text
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

func (m *Model) later() tea.Cmd {
	return tea.Tick(m.every, func(time.Time) tea.Msg { return again{} })
}

func (m *Model) key(key string) tea.Cmd {
	m.note = ""
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case m.cancel != "":
		return m.confirm(key)
	case m.typing:
		m.edit(key)
		return nil
	}
	switch key {
	case "q":
		return tea.Quit
	case "1", "2", "3", "4", "5":
		m.show(int(key[0] - '1'))
	case "tab", "right":
		m.show((m.tab + 1) % len(m.sorts))
	case "shift+tab", "left":
		m.show((m.tab + len(m.sorts) - 1) % len(m.sorts))
	case "up", "k":
		m.selected--
	case "down", "j":
		m.selected++
	case "pgup":
		m.selected -= m.room()
	case "pgdown":
		m.selected += m.room()
	case "home":
		m.selected = 0
	case "/":
		m.typing = true
	case "esc":
		m.filter = ""
	case "s":
		m.sorts[m.tab] = (m.sorts[m.tab] + 1) % len(tabs()[m.tab].head)
	case "c":
		m.ask()
	}
	return nil
}

func (m *Model) show(tab int) { m.tab, m.selected, m.top = tab, 0, 0 }

// edit changes the filter.
func (m *Model) edit(key string) {
	m.selected = 0
	switch {
	case key == "enter":
		m.typing = false
	case key == "esc":
		m.typing, m.filter = false, ""
	case key == "backspace":
		if letters := []rune(m.filter); len(letters) > 0 {
			m.filter = string(letters[:len(letters)-1])
		}
	case key == "space":
		m.filter += " "
	case len([]rune(key)) == 1:
		m.filter += key
	}
}

// ask asks whether the selected call is to be cancelled.
func (m *Model) ask() {
	rows := m.rows()
	if name := tabs()[m.tab].name; name != "calls" && name != "consents" || m.selected >= len(rows) {
		m.note = "select a call first: 4 lists those that wait or run, 5 those that await a person"
		return
	}
	row := rows[m.selected]
	m.cancel = row[len(row)-1]
}

func (m *Model) confirm(key string) tea.Cmd {
	id := m.cancel
	if m.cancel = ""; key != "y" {
		m.note = "not cancelled"
		return nil
	}
	m.note = "cancelling " + id
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(m.ctx, takeTimeout*3)
		defer stop()
		res, err := m.from.Cancel(ctx, id)
		if err != nil {
			return cancelled{"not cancelled: " + err.Error()}
		}
		return cancelled{fmt.Sprintf("%s is %s %s", id, res.State, res.ErrorType)}
	}
}

// rows returns the rows of the present table as they are sorted and filtered.
func (m *Model) rows() [][]string {
	t := tabs()[m.tab]
	rows := matching(m.last.rows(t.name), m.filter)
	order(rows, m.sorts[m.tab], t.numeric[m.sorts[m.tab]])
	return rows
}

// fixedLines is the number of lines around the rows.
const fixedLines = 5

func (m *Model) room() int {
	fixed := fixedLines
	if m.last.programs() != "" {
		fixed++
	}
	return max(1, m.height-fixed)
}

// View implements [tea.Model].
func (m *Model) View() tea.View {
	v := tea.NewView(m.Text())
	v.AltScreen = true
	return v
}

// Text returns the picture, without colors, cut to the size of the terminal.
func (m *Model) Text() string {
	all := m.rows()
	m.selected = max(0, min(m.selected, len(all)-1))
	room := m.room()
	m.top = max(0, min(m.top, m.selected), m.selected-room+1)
	shown := all[min(m.top, len(all)):min(m.top+room, len(all))]

	t := tabs()[m.tab]
	head := append([]string(nil), t.head...)
	head[m.sorts[m.tab]] += "▾"
	table := columns(append([][]string{head}, shown...))
	lines := []string{m.last.summary()}
	if line := m.last.programs(); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, m.menu(len(all)), "  "+table[0])
	for i, line := range table[1:] {
		mark := "  "
		if m.top+i == m.selected {
			mark = "> "
		}
		lines = append(lines, mark+line)
	}
	lines = append(lines, "", m.status())
	for i, line := range lines {
		if letters := []rune(line); len(letters) > m.width {
			lines[i] = string(letters[:max(0, m.width-1)]) + "…"
		}
	}
	return strings.Join(lines[:min(len(lines), max(1, m.height))], "\n")
}

func (m *Model) menu(rows int) string {
	var names []string
	for i, t := range tabs() {
		name := fmt.Sprintf("%d %s", i+1, t.name)
		if i == m.tab {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, "  ") + fmt.Sprintf("   %d rows", rows)
}

// status returns the last line.
func (m *Model) status() string {
	switch {
	case m.cancel != "":
		return "cancel call " + m.cancel + "? y cancels it, any other key does not"
	case m.typing:
		return "filter: " + m.filter + "_"
	case m.err != nil:
		return clean(fmt.Sprintf("connection lost since %s, trying again: %v", m.since.Format(time.TimeOnly), m.err))
	case m.note != "":
		return clean(m.note)
	case m.last.At.IsZero():
		return "connecting"
	}
	text := "tab view  / filter  s sort  c cancel call  q quit"
	if m.filter != "" {
		text = "filter: " + clean(m.filter) + " (esc clears)  " + text
	}
	return text
}
