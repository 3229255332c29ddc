package documents

import (
	"math"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestPlus(t *testing.T) {
	if plus(1, -1) != 1 || plus(1, 2) != 3 || plus(math.MaxInt64, 1) != math.MaxInt64 || plus(2, math.MaxInt64) != math.MaxInt64 {
		t.Error("sizes that an archive claims do not add up")
	}
}

func TestListArchive(t *testing.T) {
	files := disk(t, map[string]string{
		"a.zip":  zipped(t, entry{name: "d/"}, entry{name: "d/a.txt", text: "hello"}, entry{name: "../x\u202e", text: "x"}),
		"no.zip": "text",
	})
	tooltest.Run(t, Set, "list_archive", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "zip", Args: `{"path":"a.zip"}`,
			Want: `{"path":"a.zip","format":"zip","entries":[{"name":"d/","type":"directory","size":0},{"name":"d/a.txt","type":"file","size":5},
				{"name":"../x\ufffd","type":"file","size":1,"problem":"its name has a control character or a character that changes how it is shown"}],"count":3,"total":3,"totalSize":6,"truncated":false}`,
		},
		{
			Name: "a part", Args: `{"path":"a.zip","offset":1,"limit":1}`,
			Want: `{"path":"a.zip","format":"zip","entries":[{"name":"d/a.txt","type":"file","size":5}],"count":1,"total":3,"totalSize":6,"truncated":true}`,
		},
		{Name: "no archive", Args: `{"path":"no.zip"}`, Fails: tool.Unsupported, Message: "no archive"},
		{Name: "missing", Args: `{"path":"b.zip"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"../b.zip"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
	})
}
