// Package accounts declares the services that built-in tools use: the fields of their
// entries in the config center, and how an entry is tested. The list is explicit, like
// that of the tools.
//
// It holds no tool, so that a dispatcher, which stores the entries, links none.
package accounts

import (
	"cmp"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// All returns the services, by name.
func All() []tool.Service {
	all := slices.Concat([]tool.Service{
		cliTools(), codingKey("coding-claude-code", "Claude Code"), codingKey("coding-codex", "OpenAI Codex"),
		codingKey("coding-gemini", "Gemini CLI"), codingAgents(), exchangeRates(), npm(), openAI(), shell(),
	}, languageModels(), searches(), weathers(), translators(), studios(), mail())
	slices.SortFunc(all, func(a, b tool.Service) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func text(name, description string) tool.ServiceField {
	return tool.ServiceField{Name: name, Type: tool.FieldText, Description: description}
}

func secret(name, description string) tool.ServiceField {
	return tool.ServiceField{Name: name, Type: tool.FieldText, Secret: true, Description: description}
}
