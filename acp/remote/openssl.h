// OpenSSL, loaded when TLS is first used: its two libraries take a fifth of the time that the
// program needs to start. To be included before any of Asio's TLS headers: those then call what is
// named here by way of from_openssl(). A function that is missing below is an undefined symbol when
// a program is linked.
#pragma once

#include <openssl/conf.h>
#include <openssl/dh.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace acp::remote {

// Throws LocalFailure where OpenSSL, or this function of it, is missing. May be called by
// several threads.
void* openssl_symbol(const char* name);

// A name of its own for each function: several have the same type.
template <class Function, class Name>
Function* from_openssl(Name name) {
  static Function* const loaded = reinterpret_cast<Function*>(openssl_symbol(name()));
  return loaded;
}

}  // namespace acp::remote

// Asio writes ::SSL_new(…), and so `::` stands before each of these already.
#define ACP_OPENSSL(name) acp::remote::from_openssl<decltype(name)>([] { return #name; })

#define BIO_ctrl ACP_OPENSSL(BIO_ctrl)
#define BIO_ctrl_pending ACP_OPENSSL(BIO_ctrl_pending)
#define BIO_free ACP_OPENSSL(BIO_free)
#define BIO_new_bio_pair ACP_OPENSSL(BIO_new_bio_pair)
#define BIO_new_file ACP_OPENSSL(BIO_new_file)
#define BIO_new_mem_buf ACP_OPENSSL(BIO_new_mem_buf)
#define BIO_read ACP_OPENSSL(BIO_read)
#define BIO_write ACP_OPENSSL(BIO_write)
#define CRYPTO_free ACP_OPENSSL(CRYPTO_free)
#define ERR_clear_error ACP_OPENSSL(ERR_clear_error)
#define ERR_get_error ACP_OPENSSL(ERR_get_error)
#define ERR_lib_error_string ACP_OPENSSL(ERR_lib_error_string)
#define ERR_peek_error ACP_OPENSSL(ERR_peek_error)
#define ERR_peek_last_error ACP_OPENSSL(ERR_peek_last_error)
#define ERR_reason_error_string ACP_OPENSSL(ERR_reason_error_string)
#define EVP_PKEY_free ACP_OPENSSL(EVP_PKEY_free)
#define EVP_PKEY_is_a ACP_OPENSSL(EVP_PKEY_is_a)
#define GENERAL_NAMES_free ACP_OPENSSL(GENERAL_NAMES_free)
#define OPENSSL_sk_num ACP_OPENSSL(OPENSSL_sk_num)
#define OPENSSL_sk_value ACP_OPENSSL(OPENSSL_sk_value)
#define PEM_read_bio_Parameters ACP_OPENSSL(PEM_read_bio_Parameters)
#define PEM_read_bio_PrivateKey ACP_OPENSSL(PEM_read_bio_PrivateKey)
#define PEM_read_bio_X509 ACP_OPENSSL(PEM_read_bio_X509)
#define PEM_read_bio_X509_AUX ACP_OPENSSL(PEM_read_bio_X509_AUX)
#define SSL_CTX_clear_options ACP_OPENSSL(SSL_CTX_clear_options)
#define SSL_CTX_ctrl ACP_OPENSSL(SSL_CTX_ctrl)
#define SSL_CTX_free ACP_OPENSSL(SSL_CTX_free)
#define SSL_CTX_get_cert_store ACP_OPENSSL(SSL_CTX_get_cert_store)
#define SSL_CTX_get_default_passwd_cb ACP_OPENSSL(SSL_CTX_get_default_passwd_cb)
#define SSL_CTX_get_default_passwd_cb_userdata ACP_OPENSSL(SSL_CTX_get_default_passwd_cb_userdata)
#define SSL_CTX_get_ex_data ACP_OPENSSL(SSL_CTX_get_ex_data)
#define SSL_CTX_get_verify_callback ACP_OPENSSL(SSL_CTX_get_verify_callback)
#define SSL_CTX_get_verify_mode ACP_OPENSSL(SSL_CTX_get_verify_mode)
#define SSL_CTX_load_verify_locations ACP_OPENSSL(SSL_CTX_load_verify_locations)
#define SSL_CTX_new ACP_OPENSSL(SSL_CTX_new)
#define SSL_CTX_set0_tmp_dh_pkey ACP_OPENSSL(SSL_CTX_set0_tmp_dh_pkey)
#define SSL_CTX_set_default_passwd_cb ACP_OPENSSL(SSL_CTX_set_default_passwd_cb)
#define SSL_CTX_set_default_passwd_cb_userdata ACP_OPENSSL(SSL_CTX_set_default_passwd_cb_userdata)
#define SSL_CTX_set_default_verify_paths ACP_OPENSSL(SSL_CTX_set_default_verify_paths)
#define SSL_CTX_set_ex_data ACP_OPENSSL(SSL_CTX_set_ex_data)
#define SSL_CTX_set_options ACP_OPENSSL(SSL_CTX_set_options)
#define SSL_CTX_set_verify ACP_OPENSSL(SSL_CTX_set_verify)
#define SSL_CTX_set_verify_depth ACP_OPENSSL(SSL_CTX_set_verify_depth)
#define SSL_CTX_use_PrivateKey ACP_OPENSSL(SSL_CTX_use_PrivateKey)
#define SSL_CTX_use_PrivateKey_file ACP_OPENSSL(SSL_CTX_use_PrivateKey_file)
#define SSL_CTX_use_certificate ACP_OPENSSL(SSL_CTX_use_certificate)
#define SSL_CTX_use_certificate_ASN1 ACP_OPENSSL(SSL_CTX_use_certificate_ASN1)
#define SSL_CTX_use_certificate_chain_file ACP_OPENSSL(SSL_CTX_use_certificate_chain_file)
#define SSL_CTX_use_certificate_file ACP_OPENSSL(SSL_CTX_use_certificate_file)
#define SSL_accept ACP_OPENSSL(SSL_accept)
#define SSL_connect ACP_OPENSSL(SSL_connect)
#define SSL_ctrl ACP_OPENSSL(SSL_ctrl)
#define SSL_free ACP_OPENSSL(SSL_free)
#define SSL_get_SSL_CTX ACP_OPENSSL(SSL_get_SSL_CTX)
#define SSL_get_error ACP_OPENSSL(SSL_get_error)
#define SSL_get_ex_data ACP_OPENSSL(SSL_get_ex_data)
#define SSL_get_ex_data_X509_STORE_CTX_idx ACP_OPENSSL(SSL_get_ex_data_X509_STORE_CTX_idx)
#define SSL_get_shutdown ACP_OPENSSL(SSL_get_shutdown)
#define SSL_get_verify_callback ACP_OPENSSL(SSL_get_verify_callback)
#define SSL_get_verify_mode ACP_OPENSSL(SSL_get_verify_mode)
#define SSL_new ACP_OPENSSL(SSL_new)
#define SSL_read ACP_OPENSSL(SSL_read)
#define SSL_set_bio ACP_OPENSSL(SSL_set_bio)
#define SSL_set_ex_data ACP_OPENSSL(SSL_set_ex_data)
#define SSL_set_verify ACP_OPENSSL(SSL_set_verify)
#define SSL_set_verify_depth ACP_OPENSSL(SSL_set_verify_depth)
#define SSL_shutdown ACP_OPENSSL(SSL_shutdown)
#define SSL_write ACP_OPENSSL(SSL_write)
#define TLS_client_method ACP_OPENSSL(TLS_client_method)
#define TLS_method ACP_OPENSSL(TLS_method)
#define TLS_server_method ACP_OPENSSL(TLS_server_method)
#define X509_NAME_ENTRY_get_data ACP_OPENSSL(X509_NAME_ENTRY_get_data)
#define X509_NAME_get_entry ACP_OPENSSL(X509_NAME_get_entry)
#define X509_NAME_get_index_by_NID ACP_OPENSSL(X509_NAME_get_index_by_NID)
#define X509_STORE_CTX_get_current_cert ACP_OPENSSL(X509_STORE_CTX_get_current_cert)
#define X509_STORE_CTX_get_error_depth ACP_OPENSSL(X509_STORE_CTX_get_error_depth)
#define X509_STORE_CTX_get_ex_data ACP_OPENSSL(X509_STORE_CTX_get_ex_data)
#define X509_STORE_add_cert ACP_OPENSSL(X509_STORE_add_cert)
#define X509_check_host ACP_OPENSSL(X509_check_host)
#define X509_check_ip_asc ACP_OPENSSL(X509_check_ip_asc)
#define X509_free ACP_OPENSSL(X509_free)
#define X509_get_ext_d2i ACP_OPENSSL(X509_get_ext_d2i)
#define X509_get_subject_name ACP_OPENSSL(X509_get_subject_name)
#define d2i_PrivateKey_bio ACP_OPENSSL(d2i_PrivateKey_bio)
