package codingagents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListCodingAgents(t *testing.T) {
	w := newWorld(t, keys+`
- tenant: acme
  service: coding_agents
  label: zed
  data: {program: zed, title: "Zed"}
- tenant: acme
  service: coding_agents
  label: aider
  data: {program: aider, api_key_env: AIDER_KEY, version_args: "about --version"}
- tenant: acme
  service: coding_agents
  label: broken
  data: {program: "a/b"}
- tenant: acme
  service: coding_agents
  label: off
  active: false
  data: {program: aider}
`)
	w.agent("claude", `echo "2.1.7 (Claude Code)"`)
	w.agent("codex", `while :; do echo noise; done`)
	w.agent("aider", `[ "$*" = "about --version" ] && echo "aider v0.86.1"; exit 2`)
	w.play("list_coding_agents", tooltest.Case{Name: "all", Want: `{"agents":[
		{"provider":"claude-code","displayName":"Claude Code","installed":true,"configured":true,"version":"2.1.7","configService":"coding-claude-code"},
		{"provider":"codex","displayName":"OpenAI Codex","installed":true,"configured":true,"version":null,"configService":"coding-codex"},
		{"provider":"gemini-cli","displayName":"Gemini CLI","installed":false,"configured":true,"version":null,"configService":"coding-gemini"},
		{"provider":"custom:aider","displayName":"aider","installed":true,"configured":false,"version":"0.86.1","configService":"coding_agents"},
		{"provider":"custom:zed","displayName":"Zed","installed":false,"configured":true,"version":null,"configService":"coding_agents"}
	],"total":5,"count":5,"truncated":false}`})
	var many strings.Builder
	for n := range maxAgents {
		fmt.Fprintf(&many, "- {tenant: acme, service: coding_agents, label: a%02d, data: {program: nothing}}\n", n)
	}
	w.configure(many.String())
	w.play("list_coding_agents", tooltest.Case{Name: "many", Check: func(t *testing.T, res tool.Result) {
		if !strings.HasSuffix(string(res.Value), fmt.Sprintf(`"total":%d,"count":%d,"truncated":true}`, maxAgents+3, maxAgents)) {
			t.Errorf("result %s", res.Value[len(res.Value)-100:])
		}
	}})
}
