# What `sam build` runs for the function of template.yaml. The bundle is what pip installs of this project for
# Lambda's machine, so the folder graphql/ (documents, no code) cannot hide the library of that name.
PYTHON ?= python3.13

build-Function:
	$(PYTHON) -m pip install --quiet --no-compile --target "$(ARTIFACTS_DIR)" \
		--python-version 3.13 --implementation cp --only-binary=:all: \
		--platform manylinux_2_34_aarch64 --platform manylinux_2_28_aarch64 \
		--platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 -c requirements.txt .
	find "$(ARTIFACTS_DIR)" \( -name "*.pyi" -o -name "*.pyx" -o -name "*.c" \) -delete
	$(PYTHON) -m compileall -q --invalidation-mode unchecked-hash "$(ARTIFACTS_DIR)"
