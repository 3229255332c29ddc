package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// browser is a device: it has the private keys of a subscription.
type browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

func newBrowser(t *testing.T) browser {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b := browser{private, make([]byte, authSize)}
	rand.Read(b.auth)
	return b
}

// at returns the subscription of the browser at an endpoint.
func (b browser) at(endpoint string) protocol.PushSubscription {
	return protocol.PushSubscription{Endpoint: endpoint, Keys: protocol.PushKeys{
		P256dh: base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes()), Auth: base64.URLEncoding.EncodeToString(b.auth),
	}}
}

// decrypt returns the text of a message of one record, as RFC 8291 section 3.4 and RFC 8188 have it.
func (b browser) decrypt(body []byte) (string, error) {
	const saltSize, head = 16, 16 + 4 + 1
	if len(body) < head || len(body) < head+int(body[head-1]) {
		return "", errors.New("the message has no header")
	}
	salt, size, id := body[:saltSize], binary.BigEndian.Uint32(body[saltSize:]), body[head:head+int(body[head-1])]
	record := body[head+len(id):]
	if len(record) > int(size) {
		return "", errors.New("the message has more than one record")
	}
	server, err := ecdh.P256().NewPublicKey(id)
	if err != nil {
		return "", err
	}
	shared, err := b.private.ECDH(server)
	if err != nil {
		return "", err
	}
	ikm := derived(shared, b.auth, "WebPush: info\x00"+string(b.private.PublicKey().Bytes())+string(id), 32)
	block, err := aes.NewCipher(derived(ikm, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	plain, err := gcm.Open(nil, derived(ikm, salt, "Content-Encoding: nonce\x00", 12), record, nil)
	if err != nil {
		return "", err
	}
	text, last := strings.CutSuffix(strings.TrimRight(string(plain), "\x00"), "\x02")
	if !last {
		return "", errors.New("the record is not the last one")
	}
	return text, nil
}

func derived(secret, salt []byte, info string, size int) []byte {
	key, err := hkdf.Key(sha256.New, secret, salt, info, size)
	if err != nil {
		panic(err) // the sizes are valid
	}
	return key
}

// TestAppendix: what the tests read notifications with reads the example of RFC 8291, Appendix A.
func TestAppendix(t *testing.T) {
	bytes := func(text string) []byte {
		data, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	private, err := ecdh.P256().NewPrivateKey(bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := browser{private, bytes("BTBZMqHH6r4Tts7J_aSIgg")}.decrypt(bytes(
		"DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
			"mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
			"pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
	if got != "When I grow up, I want to be a watermelon" || err != nil {
		t.Errorf("decrypt = %q, %v", got, err)
	}
}

// received is a notification at a push service.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// pushService is a push service as RFC 8030 has it. It answers by the path of the endpoint, and
// checks who sends.
type pushService struct {
	*httptest.Server

	got chan received
}

// answers are the statuses of a push service by path.
var answers = map[string]int{
	"/taken": http.StatusCreated, "/unknown": http.StatusNotFound, "/gone": http.StatusGone, "/large": http.StatusRequestEntityTooLarge,
	"/denied": http.StatusForbidden, "/moved": http.StatusTemporaryRedirect,
}

func newPushService(t *testing.T) *pushService {
	t.Helper()
	p := &pushService{got: make(chan received, 100)}
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s, %v, want a POST", r.Method, err)
		}
		p.got <- received{r.URL.Path, r.Header, body}
		w.Header().Set("Location", p.URL+"/taken")
		w.WriteHeader(answers[r.URL.Path])
	}))
	t.Cleanup(p.Close)
	return p
}

// DoOnce implements [HTTP] for the certificate of the server.
func (p *pushService) DoOnce(req *http.Request) (*http.Response, error) {
	client := *p.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client.Do(req)
}

// checkSender checks the signature of RFC 8292: the key pair, the push service it is for, its
// time, and the contact.
func (p *pushService) checkSender(t *testing.T, header http.Header, public, contact string) {
	t.Helper()
	token, key, ok := strings.Cut(strings.TrimPrefix(header.Get("Authorization"), "vapid t="), ", k=")
	if !ok || key != public {
		t.Fatalf("Authorization: %s, want the key %s", header.Get("Authorization"), public)
	}
	point, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil || len(point) != 65 {
		t.Fatalf("the key is %d bytes, %v", len(point), err)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", token)
	}
	sign, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(sign) != 64 {
		t.Fatalf("the signature has %d bytes, %v", len(sign), err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	verifier, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		t.Fatal(err)
	}
	if !ecdsa.Verify(verifier, digest[:], new(big.Int).SetBytes(sign[:32]), new(big.Int).SetBytes(sign[32:])) {
		t.Error("the signature is not valid")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	left := time.Until(time.Unix(claims.Exp, 0))
	if err != nil || claims.Aud != p.URL || claims.Sub != contact || left <= 0 || left > 24*time.Hour {
		t.Errorf("the claims are %s, %v, want aud %s, sub %s and at most 24 h", text, err, p.URL, contact)
	}
}
