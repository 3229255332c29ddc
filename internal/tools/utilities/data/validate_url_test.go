package data

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestValidateURL(t *testing.T) {
	tooltest.Run(t, Set, "validate_url", tool.Call{}, []tooltest.Case{
		{
			Name: "all parts", Args: `{"url":"HTTPS://Example.org:8443/a%20b?q=1&q=2&r#top"}`,
			Want: `{"url":"HTTPS://Example.org:8443/a%20b?q=1&q=2&r#top","valid":true,"scheme":"https","host":"example.org","port":8443,"path":"/a b","query":{"q":"1","r":""},"fragment":"top"}`,
		},
		{
			Name: "host alone",
			Args: `{"url":"http://localhost"}`,
			Want: `{"url":"http://localhost","valid":true,"scheme":"http","host":"localhost"}`,
		},
		{
			Name: "IPv6",
			Args: `{"url":"ws://[::1]:80/"}`,
			Want: `{"url":"ws://[::1]:80/","valid":true,"scheme":"ws","host":"::1","port":80,"path":"/"}`,
		},
		{Name: "no scheme", Args: `{"url":"example.org/a"}`, Want: `{"url":"example.org/a","valid":false,"reason":"Invalid URL format"}`},
		{
			Name: "data",
			Args: `{"url":"data:text/html,x"}`,
			Want: `{"url":"data:text/html,x","valid":false,"reason":"Invalid URL format: the scheme data is not one of http, https, ftp, ftps, sftp, ws, wss"}`,
		},
		{
			Name: "long",
			Args: `{"url":"http://x/` + strings.Repeat("a", 9000) + `"}`,
			Want: `{"url":"http://x/` + strings.Repeat("a", 191) + `...","valid":false,"reason":"Invalid URL format: it is longer than 8192 bytes"}`,
		},
		{
			Name: "control character",
			Args: `{"url":"http://x/\u0000"}`,
			Want: `{"url":"http://x/\u0000","valid":false,"reason":"Invalid URL format"}`,
		},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "url"},
		{Name: "a number", Args: `{"url":5}`, Fails: tool.ValidationError, Message: "url"},
	})
}
