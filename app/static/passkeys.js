// Adds a passkey to an account, or signs in with one: asks the server for a challenge, the device to sign it.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const said = form.querySelector('[role="status"]')
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
    form.hidden = true
    continue
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    said.textContent = ''
    try {
      const options = await send(`${form.action}/options`)
      const answer = form.dataset.passkey === 'add'
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      const done = await send(form.action, { ...Object.fromEntries(new FormData(form)), answer: answer.toJSON() })
      location.assign(done.location)
    } catch (problem) {
      const left = problem.name === 'NotAllowedError' || problem.name === 'AbortError'
      said.textContent = left ? 'Nothing was done.' : problem.name === 'InvalidStateError'
        ? 'This device has a passkey for this account already.' : problem.message
      button.disabled = false
    }
  })
}

async function send(address, body = {}) {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  })
  const read = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(read.error?.message ?? 'The server did not answer as expected.')
  return read
}
