package js

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// center is a host with these services, by name.
func center(services map[string]string) Host {
	return hostFunc(func(op Op, args string) (string, error) {
		if op != OpService {
			return "", tool.Fail(tool.Internal, "asked for %s", op)
		}
		entries, ok := services[args]
		if !ok {
			return "", tool.Fail(tool.PermissionDenied, "the tool does not declare the service %s", args)
		}
		return entries, nil
	})
}

func TestUtilsConfig(t *testing.T) {
	t.Parallel()
	host := center(map[string]string{
		`"unset"`:  `[]`,
		`"null"`:   `null`,
		`"off"`:    `[{"label": "a", "default": true, "active": false, "data": {"api_key": "k"}}]`,
		`"apiKey"`: `[{"label": "a", "active": true, "data": {"key": "2", "apiKey": "1", "host": "h"}}]`,
		`"token"`:  `[{"label": "a", "active": true, "data": {"api_key": "", "token": "t", "host": "h"}}]`,
		`"only"`:   `[{"label": "a", "active": true, "data": {"pass word": "o"}}]`,
		`"none"`:   `[{"label": "a", "active": true, "data": {"host": "h", "port": "1"}}]`,
		`"empty"`:  `[{"label": "a", "active": true, "data": {"x": ""}}]`,
		`"odd"`:    `[{"label": "ü", "active": true, "data": {"__proto__": "p", "constructor": "c", "toString": "s"}}]`,
		`"mail"`: `[{"label": "gone", "default": true, "active": false, "data": {"api_key": "0"}},
			{"label": "work", "active": true, "data": {"api_key": "w", "host": "work.example"}},
			{"label": "home", "active": true, "data": {"api_key": "h"}}]`,
		`"broken"`: `{`,
	})
	cases{
		{"utils.getApiKey('unset')", "undefined"},
		{"utils.getApiKey('null')", "undefined"},
		{"utils.getApiKey('off')", "undefined"},
		{"utils.getApiKey('apiKey')", "1"},
		{"utils.getApiKey('token')", "t"},
		{"utils.getApiKey('only')", "o"},
		{"utils.getApiKey('none')", "undefined"},
		{"utils.getApiKey('empty')", "undefined"},
		{"['mail', 'mail'].map(utils.getApiKey)", `["w","w"]`},
		{"utils.getApiKey()", "TypeError: utils.getApiKey: name " + noText + "undefined"},
		{"utils.getApiKey('')", "TypeError: utils.getApiKey: name must be the name of a service"},
		{"utils.getApiKey({toString() { return 'mail' }})", "TypeError: utils.getApiKey: name " + noText + "an object"},

		{"utils.getServiceConfig('mail')", `{"api_key":"w","host":"work.example"}`},
		{"utils.getServiceConfig('unset')", "undefined"},
		{"utils.getServiceConfig('off')", "undefined"},
		{"Object.getPrototypeOf(utils.getServiceConfig('odd')) === Object.prototype", "true"},
		{"utils.getServiceConfig('odd').constructor", "c"},

		{"utils.getConfigEntry('mail')", `{"label":"work","default":false,"active":true,"data":{"api_key":"w","host":"work.example"}}`},
		{"utils.getConfigEntry('mail', 'home').data", `{"api_key":"h"}`},
		{"utils.getConfigEntry('mail', null).label", "work"},
		{"utils.getConfigEntry('odd', 'ü').label", "ü"},
		{"utils.getConfigEntry('mail', 'gone')", "undefined"},
		{"utils.getConfigEntry('mail', 'none')", "undefined"},
		{"utils.getConfigEntry('mail', {})", "TypeError: utils.getConfigEntry: label " + noText + "an object"},

		{"utils.getConfigEntries('mail').map((e) => e.label)", `["work","home"]`},
		{"utils.getConfigEntries('off')", "[]"},
		{"utils.getConfigEntries('unset')", "[]"},
		{"utils.getConfigEntries('null')", "[]"},

		{"utils.getFieldValue('mail', 'host')", "work.example"},
		{"utils.getFieldValue('mail', 'host', 'home')", "undefined"},
		{"utils.getFieldValue('mail', 'api_key', 'home')", "h"},
		{"utils.getFieldValue('empty', 'x')", `""`},
		{"utils.getFieldValue('mail', 'toString')", "undefined"},
		{"utils.getFieldValue('odd', '__proto__')", "p"},
		{"utils.getFieldValue('unset', 'x')", "undefined"},
		{"utils.getFieldValue('mail')", "TypeError: utils.getFieldValue: field " + noText + "undefined"},

		{
			"(() => { try { utils.getApiKey('broken') } catch (e) { return e.error_type + ': ' + e.message } })()",
			"internal: the config center cannot be read",
		},
	}.run(t, host)
	for _, name := range []string{"getApiKey", "getServiceConfig", "getConfigEntry", "getConfigEntries", "getFieldValue"} {
		cases{{"(() => { try { utils." + name +
			"('other', 'f') } catch (e) { return e.error_type + ': ' + e.message + ' ' + (e instanceof Error) } })()",
			`permission_denied: the tool does not declare the service "other" true`}}.run(t, host)
	}
}
