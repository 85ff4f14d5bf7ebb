package adapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-dap"
)

// longestCommand is how much of an unknown command's name is repeated in the
// answer: a client may send any.
const longestCommand = 64

// decode reads one message. It reports false for what is no request: there is
// nothing to answer.
func decode(body []byte) (incoming, bool) {
	var m incoming
	if err := json.Unmarshal(body, &m.head); err != nil {
		// The head may be readable where a part of it has a wrong type.
		var seq struct {
			Seq  int    `json:"seq"`
			Type string `json:"type"`
		}
		_ = json.Unmarshal(body, &seq)
		m.head.Seq, m.err = seq.Seq, err
		return m, seq.Type == "" || seq.Type == "request"
	}
	if len(m.head.Command) > longestCommand {
		m.head.Command = m.head.Command[:longestCommand] + "…"
	}
	switch m.head.Type {
	case "request":
	case "response", "event":
		return m, false
	default:
		m.err = fmt.Errorf(`type is %.20q, must be "request"`, m.head.Type)
		return m, true
	}
	if m.err = checkText(body); m.err != nil {
		return m, true
	}
	message, err := codec.DecodeMessage(body)
	if err != nil {
		m.err = err
		return m, true
	}
	if r, ok := message.(*dap.InitializeRequest); ok {
		countFrom1(&r.Arguments, body)
	}
	m.request, _ = message.(dap.RequestMessage)
	return m, m.request != nil
}

// checkText refuses JSON whose strings the decoder would change in silence: it puts
// U+FFFD in the place of what is not UTF-8, and of half a surrogate pair.
func checkText(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("the message is not UTF-8")
	}
	for i := bytes.IndexByte(body, '\\'); i >= 0 && i+1 < len(body); {
		next := i + 2
		if first, ok := escapedUnit(body[i:]); ok && utf16.IsSurrogate(first) {
			second, _ := escapedUnit(body[i+6:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return fmt.Errorf(`\u%04x is half of a surrogate pair and no character; in a Python string, write its backslash twice`, first)
			}
			next = i + 12
		}
		step := bytes.IndexByte(body[next:], '\\')
		if step < 0 {
			return nil
		}
		i = next + step
	}
	return nil
}

// escapedUnit reads the UTF-16 unit of the escape \uXXXX with which JSON text
// begins.
func escapedUnit(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// codec knows the requests of the protocol and those of this adapter alone.
var codec = newCodec()

func newCodec() *dap.Codec {
	c := dap.NewCodec()
	if err := c.RegisterRequest(chooseAlternativeCommand,
		func() dap.Message { return &chooseAlternativeRequest{} },
		func() dap.Message { return &chooseAlternativeResponse{} }); err != nil {
		panic(err) // the command is registered once
	}
	return c
}

// countFrom1 makes lines and columns count from 1 where an initialize request
// does not say, as the protocol has it.
func countFrom1(a *dap.InitializeRequestArguments, body []byte) {
	var said struct {
		Arguments struct {
			LinesStartAt1, ColumnsStartAt1 *bool
		} `json:"arguments"`
	}
	_ = json.Unmarshal(body, &said) // was decoded before
	a.LinesStartAt1 = said.Arguments.LinesStartAt1 == nil || *said.Arguments.LinesStartAt1
	a.ColumnsStartAt1 = said.Arguments.ColumnsStartAt1 == nil || *said.Arguments.ColumnsStartAt1
}

// dispatch calls the handler of a request and returns its response.
func (s *session) dispatch(request dap.RequestMessage) (dap.ResponseMessage, error) {
	if _, ok := request.(*dap.InitializeRequest); !ok && !s.initialized {
		if _, ok := request.(*dap.DisconnectRequest); !ok {
			return nil, notNow("%s came before initialize", request.GetRequest().Command)
		}
	}
	command := request.GetRequest().Command
	handle, ok := handlers[command]
	if !ok {
		return nil, &requestError{id: idUnknownRequest, message: "the " + command + " request is not supported"}
	}
	return handle(s, request)
}
