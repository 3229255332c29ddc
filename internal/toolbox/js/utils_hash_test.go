package js

import "testing"

func TestUtilsHash(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.hash('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"utils.hash('abc', null)", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"utils.hash(new Uint8Array([97, 98, 99]))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"utils.hash(new Uint8Array([97, 98, 99]).buffer)", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"utils.hash(new Uint8Array([0, 97, 98, 99]).subarray(1))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"utils.hash('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"utils.hash('é', 'md5')", "66ddcd97cfdeabb2f6fb8a999b4bc76f"},
		{"utils.hash('abc', 'md5')", "900150983cd24fb0d6963f7d28e17f72"},
		{"utils.hash('abc', 'SHA-1')", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"utils.hash('abc', 'sha224')", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
		{"utils.hash('abc', 'sha384').length", "96"},
		{"utils.hash('abc', 'sha512').slice(0, 16)", "ddaf35a193617aba"},
		{"utils.hash(42) === utils.hash('42')", "true"},
		{"utils.hash('abc', 'rot13')", `TypeError: utils.hash: there is no algorithm "rot13"; want md5, sha1`},
		{"utils.hash('abc', 256)", `TypeError: utils.hash: there is no algorithm "256"`},
		{"utils.hash({})", "TypeError: utils.hash: text must be a string, an ArrayBuffer or a Uint8Array"},
		{"utils.hash(new Float64Array(1))", "TypeError: utils.hash: text must be a string, an ArrayBuffer or a Uint8Array"},
		{"utils.hash(true)", "TypeError: utils.hash: text " + noText + "of another type"},
	}.run(t, nil)
}

func TestUtilsUUID(t *testing.T) {
	t.Parallel()
	cases{
		{"/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(utils.uuid())", "true"},
		{"new Set(Array.from({length: 1000}, utils.uuid)).size", "1000"},
	}.run(t, nil)
}
