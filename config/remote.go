package config

import "strings"

// RemoteSection configures the tools that other processes register.
type RemoteSection struct {
	// Tools are the operator's settings of such tools: TOOL=RISK or TOOL=RISK GROUP. TOOL is
	// a name or, at its end, has a * for any text. The first that matches counts.
	Tools []string `yaml:"tools"`
}

// RemoteTool is one entry of [RemoteSection].Tools.
type RemoteTool struct {
	// Name is a name, or the beginning of names if Prefix is set.
	Name   string
	Prefix bool
	// Risk is low, medium or high; Group is empty for remote.
	Risk, Group string
}

var remoteTool = pattern(`^([A-Za-z][A-Za-z0-9_.]*)?(\*?)=(low|medium|high)(?: ([A-Za-z0-9_-]{1,64}))?$`)

// ParseRemoteTool reads an entry; ok is false if the text is no entry.
func ParseRemoteTool(text string) (t RemoteTool, ok bool) {
	m := remoteTool().FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[2] == "" {
		return t, false
	}
	return RemoteTool{Name: m[1], Prefix: m[2] != "", Risk: m[3], Group: m[4]}, true
}

// Of returns the entry for a tool, ok is false if there is none.
func (s RemoteSection) Of(name string) (t RemoteTool, ok bool) {
	for _, text := range s.Tools {
		t, ok := ParseRemoteTool(text)
		if ok && (t.Name == name || t.Prefix && strings.HasPrefix(name, t.Name)) {
			return t, true
		}
	}
	return RemoteTool{}, false
}

func (c Config) checkRemote(v *verdict) {
	for _, entry := range c.Remote.Tools {
		if _, ok := ParseRemoteTool(entry); !ok {
			v.addf("remote.tools", "has %s; want TOOL=RISK or TOOL=RISK GROUP, such as crm.*=low or deploy=high operations", show(entry))
		}
	}
}
