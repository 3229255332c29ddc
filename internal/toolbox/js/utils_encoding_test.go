package js

import "testing"

func TestUtilsEncoding(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.base64Encode('héllo 😀')", "aMOpbGxvIPCfmIA="},
		{"utils.base64Encode(new Uint8Array([255, 0]))", "/wA="},
		{"utils.base64Encode('')", `""`},
		{"utils.base64Decode('aMOpbGxvIPCfmIA=')", "héllo 😀"},
		{"utils.base64Decode('aMOpbGxvIPCfmIA')", "héllo 😀"},
		{"utils.base64Decode(' aMOp\\r\\nbGxv ')", "héllo"},
		{"utils.base64Decode('Pz8_') + utils.base64Decode('Pz8/')", "??????"},
		{"utils.base64Decode('fn5-')", "~~~"},
		{"utils.base64Decode('')", `""`},
		{"utils.base64Decode('!')", "TypeError: utils.base64Decode: the text is not properly encoded"},
		{"utils.base64Decode('YQ=a')", "TypeError: utils.base64Decode: the text is not properly encoded"},
		{"utils.base64Decode('/wA=')", "TypeError: utils.base64Decode: the text holds bytes that are not UTF-8"},

		{"utils.urlEncode('a b&c=d/é?+😀~!*()\\'')", "a%20b%26c%3Dd%2F%C3%A9%3F%2B%F0%9F%98%80~!*()'"},
		{"utils.urlEncode('a b&c=d/é?+😀~!*()\\'') === encodeURIComponent('a b&c=d/é?+😀~!*()\\'')", "true"},
		{"utils.urlEncode('\\ud800')", "%EF%BF%BD"},
		{"utils.urlEncode(1.5)", "1.5"},
		{"utils.urlDecode('a%20b+c%C3%A9')", "a b+cé"},
		{"utils.urlDecode('100%')", "TypeError: utils.urlDecode: the text is not properly encoded"},
		{"utils.urlDecode('%ff')", "TypeError: utils.urlDecode: the text holds bytes that are not UTF-8"},
		{"utils.urlDecode(utils.urlEncode('カナ & 😀'))", "カナ & 😀"},

		{"utils.hexEncode('é')", "c3a9"},
		{"utils.hexEncode(new ArrayBuffer(2))", "0000"},
		{"utils.hexDecode('C3a9')", "é"},
		{"utils.hexDecode('c3a')", "TypeError: utils.hexDecode: the text is not properly encoded"},
		{"utils.hexDecode('zz')", "TypeError: utils.hexDecode: the text is not properly encoded"},
		{"utils.hexDecode('ff')", "TypeError: utils.hexDecode: the text holds bytes that are not UTF-8"},
		{"utils.hexDecode([])", "TypeError: utils.hexDecode: text " + noText + "an object"},
	}.run(t, nil)
}
